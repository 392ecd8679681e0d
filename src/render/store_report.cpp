#include "scalelaw/render/store_report.hpp"

#include <fmt/format.h>

#include "documents/json_parts.hpp"
#include "render/buffered_text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_file(JsonText& json, const StoredFile& file) {
  json.open('{');
  json.key("path").text(file.path);
  json.key("job").text(file.job);
  json.key("jobs").count(file.jobs);
  json.key("format").text(file.format);
  json.key("bytes").count(file.state.bytes);
  json.key("hash").text(file.hash);
  json.key("version").text(file.version);
  json.close('}');
}

void write_json(const std::string& path, const StoreContents& contents,
                const std::vector<StoredFile>& files, const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  head.member("schema").text("scalelaw.store/1");
  head.member("version").text(kVersion);
  head.member("store").text(path);
  head.member("schema_version").count(contents.schema_version);
  head.member("jobs").count(contents.jobs);
  head.member("rows").count(contents.rows);
  head.member("bytes").count(contents.bytes);
  head.member("complete").boolean(contents.complete);
  JsonText fits = head.member("fits");
  write_each(fits, contents.fits, [&fits](const KeptFits& one) {
    fits.open('{');
    fits.key("label").text(one.label);
    fits.key("kept_at").text(one.kept_at);
    fits.close('}');
  });
  out.text() += ",\n \"files\": [";
  for (std::size_t i = 0; i < files.size(); ++i) {
    out.text() += i == 0 ? "\n  " : ",\n  ";
    JsonText json(out.text());
    write_file(json, files[i]);
    out.pass_on_if_full();
  }
  out.text() += files.empty() ? "]}\n" : "\n ]}\n";
  out.pass_on();
}

void write_jsonl(const std::vector<StoredFile>& files, const TextSink& sink) {
  BufferedText out(sink);
  for (const StoredFile& file : files) {
    JsonText json(out.text());
    write_file(json, file);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
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
  if (style.format == Format::kJsonl) return write_jsonl(files, sink);
  SheetWriter rows(store_sheet(), style, sink);
  for (const StoredFile& file : files) rows.add({}, file);
  rows.finish(fmt::format("{}: {} jobs, {} files, {} rows in the run table", path, contents.jobs,
                          files.size(), contents.rows),
              notes_of(contents));
}

}  // namespace scalelaw
