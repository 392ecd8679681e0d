#include "scalelaw/render/store_report.hpp"

#include <fmt/format.h>

#include "render/json_document.hpp"
#include "scalelaw/render/sheet.hpp"

namespace scalelaw {
namespace {

void write_file(JsonText& json, const StoredFile& file) {
  json << Members{{"path", file.path},      {"job", file.job},           {"jobs", file.jobs},
                  {"format", file.format},  {"bytes", file.state.bytes}, {"hash", file.hash},
                  {"version", file.version}};
}

void write_fits(JsonText& json, const KeptFits& fits) {
  json << Members{{"label", fits.label}, {"kept_at", fits.kept_at}};
}

void write_json(const std::string& path, const StoreContents& contents,
                const std::vector<StoredFile>& files, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.store/1");
  document.head() << HeadMembers{
      {"store", path},           {"schema_version", contents.schema_version},
      {"jobs", contents.jobs},   {"rows", contents.rows},
      {"bytes", contents.bytes}, {"complete", contents.complete}};
  write_objects(document.member("fits"), contents.fits, write_fits);
  document.list("files", files, write_file);
  document.finish();
}

/// A row is a file, or for programs kept fits.
struct StoreRow {
  const StoredFile* file = nullptr;
  const KeptFits* fits = nullptr;
};

std::string stored_job_text(const StoreRow& row) {
  const StoredFile& file = *row.file;
  return file.jobs > 1 ? fmt::format("{} and {} more", file.job, file.jobs - 1) : file.job;
}

Sheet<StoreRow> store_sheet() {
  Sheet<StoreRow> sheet(std::vector<std::string>{});
  const auto file = sheet.part(&StoreRow::file);
  const auto fits = sheet.part(&StoreRow::fits);
  file.add("path", &StoredFile::path).titled("file");
  file.add("job", &StoredFile::job).seen_as(stored_job_text).titled("job");
  file.add("format", &StoredFile::format).titled("format");
  file.add("bytes", [](const StoredFile& one) { return one.state.bytes; }).titled("bytes");
  file.add("hash", &StoredFile::hash)
      .seen_as([](const StoreRow& row) { return row.file->hash.substr(0, 12); })
      .toned(Tone::kFaint)
      .titled("hash");
  file.add("version", &StoredFile::version);
  file.add("jobs", &StoredFile::jobs);
  fits.add("label", &KeptFits::label);
  fits.add("kept_at", &KeptFits::kept_at);
  return sheet;
}

std::vector<std::string> notes_of(const StoreContents& contents) {
  std::vector<std::string> notes;
  for (const KeptFits& fits : contents.fits) {
    notes.push_back(fmt::format("fits '{}', kept at {}", fits.label, fits.kept_at));
  }
  if (!contents.complete) {
    notes.emplace_back(
        "the run table is not of all these files: an ingest runs, or was interrupted; repeat it");
  }
  return notes;
}

}  // namespace

void write_store(const std::string& path, const StoreContents& contents,
                 const std::vector<StoredFile>& files, const TableStyle& style,
                 const TextSink& sink) {
  const Sheet<StoreRow> sheet = store_sheet();
  sheet.refuse_unknown(style);
  if (style.format == Format::kJson) return write_json(path, contents, files, sink);
  if (style.format == Format::kJsonl) {
    write_lines(sink, files, write_file);
    return write_lines(sink, contents.fits, write_fits);
  }
  TableStyle whole = style;
  whole.width = 0;  // Paths are to be copied.
  SheetWriter rows(sheet, whole, sink);
  for (const StoredFile& file : files) rows.add(StoreRow{.file = &file});
  // People read of fits below the table.
  for (const KeptFits& fits : contents.fits) {
    if (!rows.is_for_people()) rows.add(StoreRow{.fits = &fits});
  }
  rows.finish({.answer = {fmt::format("{} keeps {} of {} in a run table of {}.", path,
                                      counted(contents.jobs, "job"), counted(files.size(), "file"),
                                      counted(contents.rows, "row"))},
               .lines = notes_of(contents)});
}

}  // namespace scalelaw
