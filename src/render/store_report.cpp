#include "scalelaw/render/store_report.hpp"

#include <fmt/format.h>

#include "render/json_document.hpp"
#include "scalelaw/render/sheet.hpp"

namespace scalelaw {
namespace {

void write_file(JsonText& json, const StoredFile& file) {
  json.key("path").text(file.path);
  json.key("job").text(file.job);
  json.key("jobs").count(file.jobs);
  json.key("format").text(file.format);
  json.key("bytes").count(file.state.bytes);
  json.key("hash").text(file.hash);
  json.key("version").text(file.version);
}

void write_fits(JsonText& json, const KeptFits& fits) {
  json.key("label").text(fits.label);
  json.key("kept_at").text(fits.kept_at);
}

void write_json(const std::string& path, const StoreContents& contents,
                const std::vector<StoredFile>& files, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.store/1");
  document.member("store").text(path);
  document.member("schema_version").count(contents.schema_version);
  document.member("jobs").count(contents.jobs);
  document.member("rows").count(contents.rows);
  document.member("bytes").count(contents.bytes);
  document.member("complete").boolean(contents.complete);
  write_objects(document.member("fits"), contents.fits, write_fits);
  document.list("files", files, write_file);
  document.finish();
}

std::string job_text(const StoredFile& file) {
  return file.jobs > 1 ? fmt::format("{} and {} more", file.job, file.jobs - 1) : file.job;
}

Sheet<StoredFile> store_sheet() {
  Sheet<StoredFile> sheet(std::vector<std::string>{});
  sheet.add("path", &StoredFile::path).titled("file");
  sheet.add("job", &StoredFile::job).seen_as(job_text).titled("job");
  sheet.add("format", &StoredFile::format).titled("format");
  sheet.add("bytes", [](const StoredFile& file) { return file.state.bytes; }).titled("bytes");
  sheet.add("hash", &StoredFile::hash)
      .seen_as([](const StoredFile& file) { return file.hash.substr(0, 12); })
      .toned(Tone::kFaint)
      .titled("hash");
  sheet.add("version", &StoredFile::version);
  sheet.add("jobs", &StoredFile::jobs);
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
  if (style.format == Format::kJson) return write_json(path, contents, files, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, files, write_file);
  SheetWriter rows(store_sheet(), style, sink);
  for (const StoredFile& file : files) rows.add({}, file);
  rows.finish(fmt::format("{}: {} jobs, {} files, {} rows in the run table", path, contents.jobs,
                          files.size(), contents.rows),
              notes_of(contents));
}

}  // namespace scalelaw
