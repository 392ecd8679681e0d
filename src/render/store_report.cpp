#include "scalelaw/render/store_report.hpp"

#include <fmt/format.h>

#include "render/delimited_rows.hpp"
#include "render/json_parts.hpp"
#include "render/noted_table.hpp"
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

void write_fits(JsonText json, const std::vector<KeptFits>& fits) {
  json.open('[');
  for (const KeptFits& one : fits) {
    json.open('{');
    json.key("label").text(one.label);
    json.key("kept_at").text(one.kept_at);
    json.close('}');
  }
  json.close(']');
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
  write_fits(head.member("fits"), contents.fits);
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

void write_rows(const std::vector<StoredFile>& files, char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  for (const char* name : {"path", "job", "format", "bytes", "hash", "version", "jobs"})
    rows.add(name);
  rows.end_row();
  for (const StoredFile& file : files) {
    rows.add(file.path);
    rows.add(file.job);
    rows.add(file.format);
    rows.add(fmt::to_string(file.state.bytes));
    rows.add(file.hash);
    rows.add(file.version);
    rows.add(fmt::to_string(file.jobs));
    rows.end_row();
  }
  rows.finish();
}

std::string job_text(const StoredFile& file) {
  return file.jobs > 1 ? fmt::format("{} and {} more", file.job, file.jobs - 1) : file.job;
}

void write_table(const std::string& path, const StoreContents& contents,
                 const std::vector<StoredFile>& files, Format format, bool colour,
                 const TextSink& sink) {
  TextTable table({{.header = "file"},
                   {.header = "job"},
                   {.header = "format"},
                   {.header = "bytes", .align = Align::kRight},
                   {.header = "hash", .tone = Tone::kFaint}});
  for (const StoredFile& file : files) {
    table.add_row(std::vector{file.path, job_text(file), file.format,
                              fmt::to_string(file.state.bytes), file.hash.substr(0, 12)});
  }
  std::vector<std::string> notes;
  for (const KeptFits& fits : contents.fits) {
    notes.push_back(fmt::format("fits '{}', kept at {}", fits.label, fits.kept_at));
  }
  if (!contents.complete) {
    notes.emplace_back(
        "the run table is not of all these files: an ingest runs, or was interrupted; repeat it");
  }
  write_noted_table(table,
                    fmt::format("{}: {} jobs, {} files, {} rows in the run table", path,
                                contents.jobs, files.size(), contents.rows),
                    notes, format, colour, sink);
}

}  // namespace

void write_store(const std::string& path, const StoreContents& contents,
                 const std::vector<StoredFile>& files, Format format, bool colour,
                 const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_json(path, contents, files, sink);
    case Format::kJsonl:
      return write_jsonl(files, sink);
    case Format::kCsv:
      return write_rows(files, ',', sink);
    case Format::kTsv:
      return write_rows(files, '\t', sink);
    default:
      return write_table(path, contents, files, format, colour, sink);
  }
}

}  // namespace scalelaw
