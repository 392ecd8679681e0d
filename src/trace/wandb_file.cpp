#include "trace/wandb_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cmath>

#include "scalelaw/base/error.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/event_file.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/run_places.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kHeader("\x3AW&B\xE1\xBE\0", 7);
constexpr std::size_t kVersionAt = 6;
constexpr std::size_t kBlock = 32768;
constexpr std::size_t kChunkHead = 7;

// --- The log ---

/// The parts of a record that lie in one block.
enum ChunkKind : unsigned char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

/// The records of a log, one after another.
class WandbLogReader {
 public:
  using End = RecordsEnd;

  explicit WandbLogReader(ByteStream& in) : in_(in) {
    next_block();
    rest_.remove_prefix(std::min(kHeader.size(), rest_.size()));
  }

  /// The next record; valid until the next call. Empty at the end, and before one that is cut or
  /// damaged.
  std::optional<std::string_view> next() {
    record_.clear();
    for (bool begins = true; end_ == End::kNone; begins = false) {
      const auto kind = next_chunk();
      if (!kind) {
        // A file may end between records only.
        if (!begins && end_ == End::kWhole) end_ = End::kCut;
        break;
      }
      const bool is_begin = *kind == kFull || *kind == kFirst;
      if (is_begin != begins) {
        end_ = End::kDamaged;
        break;
      }
      record_ += chunk_;
      if (*kind == kFull || *kind == kLast) {
        ++count_;
        return record_;
      }
    }
    return std::nullopt;
  }
  End end() const { return end_; }
  /// Records up to here.
  std::uint64_t count() const { return count_; }

 private:
  bool next_block() {
    block_.clear();
    read_to(kBlock, in_, block_);
    rest_ = block_;
    return !rest_.empty();
  }

  /// The kind of the next chunk, whose text is `chunk_`. Empty at the end, which `end_` tells.
  std::optional<unsigned char> next_chunk() {
    // The end of a block that has no room for a head is filled with zeros, and so may be more.
    while (block_.size() == kBlock ? is_filling() : rest_.empty()) {
      if (next_block()) continue;
      end_ = End::kWhole;
      return std::nullopt;
    }
    if (rest_.size() < kChunkHead) return stop(End::kCut);
    const std::size_t length = little_endian(rest_.substr(4, 2));
    const auto kind = static_cast<unsigned char>(rest_[6]);
    if (rest_.size() - kChunkHead < length) {
      return stop(block_.size() == kBlock ? End::kDamaged : End::kCut);
    }
    const std::uint64_t stated = little_endian(rest_.substr(0, 4));
    boost::crc_32_type checksum;
    checksum.process_bytes(rest_.data() + 6, length + 1);
    if (checksum.checksum() != stated || kind < kFull || kind > kLast) return stop(End::kDamaged);
    chunk_ = rest_.substr(kChunkHead, length);
    rest_.remove_prefix(kChunkHead + length);
    return kind;
  }

  std::optional<unsigned char> stop(End end) {
    end_ = end;
    return std::nullopt;
  }

  bool is_filling() const {
    return rest_.size() < kChunkHead ||
           rest_.substr(0, kChunkHead).find_first_not_of('\0') == std::string_view::npos;
  }

  ByteStream& in_;
  std::string block_;
  std::string_view rest_;  ///< Of the block.
  std::string_view chunk_;
  std::string record_;
  End end_ = End::kNone;
  std::uint64_t count_ = 0;
};

// --- The records ---

/// Numbers of fields in wandb_internal.proto.
namespace field {
constexpr std::uint64_t kHistory = 2;
constexpr std::uint64_t kSummary = 3;
constexpr std::uint64_t kConfig = 5;
constexpr std::uint64_t kRun = 17;
constexpr std::uint64_t kExit = 18;
constexpr std::uint64_t kItemKey = 1;
constexpr std::uint64_t kItemNestedKey = 2;
constexpr std::uint64_t kItemJson = 16;
}  // namespace field

/// A HistoryItem, SummaryItem or ConfigItem.
struct Item {
  std::string name;
  std::string_view json;
};

Item item_of(std::string_view message) {
  Item item;
  for (ProtoReader reader(message); const auto part = reader.next();) {
    if (part->number == field::kItemKey && !part->bytes.empty()) item.name = part->bytes;
    if (part->number == field::kItemNestedKey) {
      if (!item.name.empty()) item.name += '.';
      item.name += part->bytes;
    }
    if (part->number == field::kItemJson) item.json = part->bytes;
  }
  return item;
}

void take_history(std::string_view record, WandbRun& run) {
  WandbStep step;
  for (ProtoReader reader(record); const auto part = reader.next();) {
    if (part->number == 1) {
      const Item item = item_of(part->bytes);
      const auto number = logged_number(item.json);
      if (item.name == "_step" && number) step.step = *number;
      if (item.name == "_runtime" && number) step.runtime_s = *number;
      if (item.name.empty() || item.name.starts_with('_')) continue;
      for_each_wandb_number(item.name, item.json, [&](const std::string& name, double value) {
        step.values.emplace_back(name, value);
      });
    } else if (part->number == 2 && step.step != step.step) {
      step.step = 0;  // A message leaves zeros out.
      for (ProtoReader inside(part->bytes); const auto number = inside.next();) {
        if (number->number == 1) {
          step.step = static_cast<double>(static_cast<std::int64_t>(number->value));
        }
      }
    }
  }
  run.history.push_back(std::move(step));
}

/// Takes the updates and removals of a ConfigRecord or SummaryRecord.
void take_updates(std::string_view record, std::map<std::string, std::string>& values) {
  for (ProtoReader reader(record); const auto part = reader.next();) {
    if (part->number != 1 && part->number != 2) continue;
    const Item item = item_of(part->bytes);
    if (item.name.empty()) continue;
    if (part->number == 1) {
      values[item.name] = item.json;
    } else {
      values.erase(item.name);
    }
  }
}

void take_wandb_run(std::string_view record, WandbRun& run) {
  for (ProtoReader reader(record); const auto part = reader.next();) {
    if (part->number == 1) run.id = part->bytes;
    if (part->number == 3) run.project = part->bytes;
    if (part->number == 4) take_updates(part->bytes, run.config);
    if (part->number == 5) take_updates(part->bytes, run.summary);
    if (part->number == 8) run.name = part->bytes;
  }
}

void take_exit(std::string_view record, WandbRun& run) {
  run.exit_code = 0;  // A message leaves zeros out.
  for (ProtoReader reader(record); const auto part = reader.next();) {
    const auto number = static_cast<std::int64_t>(part->value);
    if (part->number == 1) run.exit_code = number;
    if (part->number == 2 && number > 0) run.runtime_s = static_cast<double>(number);
  }
}

void take_record(std::string_view record, WandbRun& run) {
  for (ProtoReader reader(record); const auto part = reader.next();) {
    if (part->number == field::kHistory) take_history(part->bytes, run);
    if (part->number == field::kSummary) take_updates(part->bytes, run.summary);
    if (part->number == field::kConfig) take_updates(part->bytes, run.config);
    if (part->number == field::kRun) take_wandb_run(part->bytes, run);
    if (part->number == field::kExit) take_exit(part->bytes, run);
  }
}

void take_numbers(const std::string& name, const nlohmann::json& value,
                  const std::function<void(const std::string&, double)>& take) {
  if (value.is_number()) return take(name, value.get<double>());
  if (value.is_string()) return for_each_wandb_number(name, value.dump(), take);
  if (!value.is_object() || value.contains("_type")) return;
  for (const auto& [key, member] : value.items()) take_numbers(name + "." + key, member, take);
}

}  // namespace

bool begins_as_wandb_file(std::string_view head) { return head.starts_with(kHeader); }

std::string wandb_file_lacks(std::string_view head) {
  const bool is_near = head.starts_with(kHeader.substr(0, kVersionAt)) && head.size() > kVersionAt;
  if (!is_near || begins_as_wandb_file(head)) return "";
  return fmt::format("its version is {}, and only 0 is known",
                     static_cast<unsigned char>(head[kVersionAt]));
}

void for_each_wandb_number(const std::string& name, std::string_view json,
                           const std::function<void(const std::string&, double)>& take) {
  if (json.starts_with('{')) {
    try {
      take_numbers(name, parse_json(json, name), take);
    } catch (const ParseError&) {  // No JSON, and so no number.
    }
    return;
  }
  const bool is_text = json.size() > 1 && json.front() == '"' && json.back() == '"';
  const auto number = logged_number(is_text ? json.substr(1, json.size() - 2) : json);
  // A text is a number only where JSON has no other way to write it.
  if (number && (!is_text || !std::isfinite(*number))) take(name, *number);
}

WandbRun read_wandb_file(const std::string& path, TraceNotes& notes) {
  const OpenedFile file(path);
  WandbLogReader records(*file.stream);
  WandbRun run;
  while (const auto record = records.next()) take_record(*record, run);
  note_end(records.end(), records.count(), notes);
  return run;
}

}  // namespace scalelaw
