// The C interface: include/scalelaw/scalelaw.h. Nothing is thrown over its edge.

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow_table.hpp"
#include "call.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/memory_table.hpp"
#include "scalelaw/render/kept_sheet.hpp"
#include "scalelaw/scalelaw.h"
#include "scalelaw/version.hpp"

using scalelaw::MemoryChunk;
using scalelaw::cli::CallEnd;

struct scalelaw_message {
  int kind;
  std::string text;
};

struct scalelaw_call {
  std::string command;
  std::string options;
  scalelaw::MemoryTables tables;
  scalelaw::capi::ArrowTables arrow;
  std::deque<MemoryChunk> words;  ///< Of columns of codes.
  scalelaw_goes_on goes_on = nullptr;
  void* user = nullptr;
  scalelaw::KeptSheet sheet;  ///< Of the result, where it is CSV.
  scalelaw::CallContext context{
      &tables, [this] { return goes_on == nullptr || goes_on(user) != 0; }, &sheet};
  std::optional<std::string> misuse;  ///< What was wrong with a table.
  std::string result;
  std::vector<scalelaw_message> messages;
  CallEnd end;
};

namespace {

constexpr int kUnusable = SCALELAW_UNUSABLE;

/// Does something for a call. What goes wrong is told by the run.
template <class Act>
int guarded(scalelaw_call* call, Act act) noexcept {
  if (call == nullptr) return -1;
  try {
    try {
      act();
      return 0;
    } catch (const std::exception& error) {
      if (!call->misuse) call->misuse = error.what();
    }
  } catch (...) {
  }
  return -1;
}

std::string text_of(const char* text, const char* what) {
  if (text != nullptr) return text;
  throw scalelaw::DataError(std::string(what) + " is a null pointer");
}

/// Adds a column of one stretch to a table.
void add_column(scalelaw_call& call, const char* table, const char* column, MemoryChunk chunk) {
  const std::string name = text_of(table, "the name of a table");
  std::string title = text_of(column, "the name of a column");
  if (chunk.rows < 0 || (chunk.rows > 0 && chunk.values == nullptr)) {
    throw scalelaw::DataError(name + ": the column '" + title + "' has no values");
  }
  auto& columns = call.tables.at(name).columns;
  columns.push_back({std::move(title), {}});
  if (chunk.rows > 0) columns.back().chunks.push_back(chunk);
}

void run(scalelaw_call& call) {
  call.result.clear();
  call.messages.clear();
  call.sheet.clear();
  call.end = {};
  if (call.misuse) {
    call.end = {kUnusable, "data", *call.misuse, ""};
    return;
  }
  call.end = scalelaw::cli::run_hosted(
      {call.command,
       call.options,
       {[&call](std::string_view text) { call.result += text; },
        [&call](scalelaw::Said said, std::string_view text) {
          const bool is_note = said == scalelaw::Said::kNote;
          call.messages.push_back({is_note ? SCALELAW_NOTE : SCALELAW_WARNING, std::string(text)});
        }},
       call.context});
}

}  // namespace

extern "C" {

const char* scalelaw_version(void) { return scalelaw::kVersion.data(); }

const char* scalelaw_schema(void) {
  try {
    static const std::string schema = scalelaw::cli::schema_of_commands();
    return schema.c_str();
  } catch (...) {
    return nullptr;
  }
}

scalelaw_call* scalelaw_call_new(const char* command) {
  try {
    auto call = std::make_unique<scalelaw_call>();
    if (command != nullptr) call->command = command;
    return call.release();
  } catch (...) {
    return nullptr;
  }
}

void scalelaw_call_free(scalelaw_call* call) { delete call; }

void scalelaw_call_options(scalelaw_call* call, const char* json) {
  guarded(call, [&] { call->options = json == nullptr ? "" : json; });
}

int scalelaw_call_doubles(scalelaw_call* call, const char* table, const char* column,
                          const double* values, int64_t rows) {
  return scalelaw_call_values(call, table, column, "g", values, rows);
}

int scalelaw_call_values(scalelaw_call* call, const char* table, const char* column,
                         const char* type, const void* values, int64_t rows) {
  return guarded(call, [&] {
    MemoryChunk chunk{.rows = rows, .values = values};
    scalelaw::capi::set_type(chunk, type);
    add_column(*call, table, column, chunk);
  });
}

int scalelaw_call_texts(scalelaw_call* call, const char* table, const char* column,
                        const char* const* values, int64_t rows) {
  return guarded(call, [&] {
    add_column(*call, table, column,
               {.kind = MemoryChunk::Kind::kTexts, .rows = rows, .values = values});
  });
}

int scalelaw_call_codes(scalelaw_call* call, const char* table, const char* column,
                        const char* type, const void* codes, int64_t rows, const char* const* words,
                        int64_t word_count) {
  return guarded(call, [&] {
    const MemoryChunk::Kind index = scalelaw::capi::whole_kind(type);
    if (word_count < 0 || (word_count > 0 && words == nullptr)) {
      throw scalelaw::DataError("codes need a list of words");
    }
    const MemoryChunk& texts = call->words.emplace_back(
        MemoryChunk{.kind = MemoryChunk::Kind::kTexts, .rows = word_count, .values = words});
    add_column(*call, table, column,
               {.kind = MemoryChunk::Kind::kDictionary,
                .rows = rows,
                .values = codes,
                .index = index,
                .words = &texts});
  });
}

int scalelaw_call_arrow(scalelaw_call* call, const char* table, struct ArrowSchema* schema,
                        struct ArrowArray* array) {
  return guarded(call, [&] {
    if (schema == nullptr || array == nullptr) {
      throw scalelaw::DataError("the Arrow array is a null pointer");
    }
    call->arrow.add(call->tables.at(text_of(table, "the name of a table")), *schema, *array);
  });
}

int scalelaw_call_arrow_stream(scalelaw_call* call, const char* table,
                               struct ArrowArrayStream* stream) {
  return guarded(call, [&] {
    if (stream == nullptr) throw scalelaw::DataError("the Arrow stream is a null pointer");
    call->arrow.add(call->tables.at(text_of(table, "the name of a table")), *stream);
  });
}

int scalelaw_call_document(scalelaw_call* call, const char* name, const char* bytes, size_t size) {
  return guarded(call, [&] {
    if (bytes == nullptr) throw scalelaw::DataError("the document is a null pointer");
    call->tables.at(text_of(name, "the name of a document")).text = std::string_view(bytes, size);
  });
}

void scalelaw_call_watch(scalelaw_call* call, scalelaw_goes_on goes_on, void* user) {
  if (call == nullptr) return;
  call->goes_on = goes_on;
  call->user = user;
}

uint64_t scalelaw_call_bytes_read(const scalelaw_call* call) {
  return call == nullptr ? 0 : call->context.bytes_read();
}

void scalelaw_call_cancel(scalelaw_call* call) {
  if (call != nullptr) call->context.cancel();
}

void scalelaw_call_keep_table(scalelaw_call* call) {
  if (call != nullptr) call->sheet.want();
}

int scalelaw_call_run(scalelaw_call* call) {
  if (call == nullptr) return kUnusable;
  try {
    run(*call);
  } catch (...) {  // Even the sentence on missing memory needs memory.
    call->end.status = kUnusable;
  }
  return call->end.status;
}

const char* scalelaw_call_result(const scalelaw_call* call, size_t* size) {
  if (size != nullptr) *size = call == nullptr ? 0 : call->result.size();
  return call == nullptr ? "" : call->result.c_str();
}

int scalelaw_call_result_arrow(const scalelaw_call* call, struct ArrowArrayStream* out) {
  if (out == nullptr) return -1;
  out->release = nullptr;
  if (call == nullptr || !call->sheet.has_sheet() || call->end.status == kUnusable) return -1;
  try {
    scalelaw::capi::export_sheet(call->sheet, *out);
    return 0;
  } catch (...) {  // There is no memory for it.
    return -1;
  }
}

size_t scalelaw_call_message_count(const scalelaw_call* call) {
  return call == nullptr ? 0 : call->messages.size();
}

const char* scalelaw_call_message(const scalelaw_call* call, size_t index, int* kind) {
  if (call == nullptr || index >= call->messages.size()) return nullptr;
  if (kind != nullptr) *kind = call->messages[index].kind;
  return call->messages[index].text.c_str();
}

const char* scalelaw_call_error(const scalelaw_call* call) {
  return call == nullptr ? "the call is a null pointer" : call->end.message.c_str();
}

const char* scalelaw_call_error_code(const scalelaw_call* call) {
  return call == nullptr ? "options" : call->end.code.c_str();
}

const char* scalelaw_call_error_place(const scalelaw_call* call) {
  return call == nullptr ? "" : call->end.place.c_str();
}

}  // extern "C"
