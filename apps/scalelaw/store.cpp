#include <fmt/format.h>

#include <array>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/render/store_report.hpp"
#include "scalelaw/store/study_store.hpp"
#include "scalelaw/study/history_study.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kStoreExamples =
    R"(  scalelaw generate --traces /tmp/scalelaw-tree
  scalelaw ingest /tmp/scalelaw-tree --jobs /tmp/scalelaw-tree/jobs.csv --store /tmp/scalelaw-kept.db
  scalelaw store ls /tmp/scalelaw-kept.db
      Lists the files and jobs that a study store knows.
  scalelaw store export /tmp/scalelaw-kept.db -o /tmp/scalelaw-kept.csv
      Writes its run table, as ingest -o does.
  scalelaw store verify /tmp/scalelaw-kept.db
      Checks that the store is sound and that its files have not changed.
  scalelaw fit /tmp/scalelaw-kept.db
      Every command reads a study store like a table.
)";

enum class Action { kLs, kExport, kVerify, kForget };

const std::vector<Named<Action>> kActions{{"ls", Action::kLs},
                                          {"export", Action::kExport},
                                          {"verify", Action::kVerify},
                                          {"forget", Action::kForget}};

struct StoreCommand {
  std::optional<Action> action;
  std::string store;
  std::vector<std::string> names;
  std::string fits;
  std::string kept_at;
  bool gone = false;
  ResultOptions result;
};

int run_ls(const StoreCommand& command, const GlobalOptions& global) {
  return deliver(command.result, global, [&](const Delivery& delivery) {
    const StudyStore store(command.store, StudyStore::Access::kRead);
    std::vector<StoredFile> files;
    store.for_each_file([&](const StoredFile& file) { files.push_back(file); });
    write_store(command.store, store.contents(), files, delivery.style, delivery.sink);
    return Lacks{};
  });
}

void warn_if_unfinished(const StoreCommand& command, const Messages& console) {
  for (const std::string& sentence : unfinished_inputs(std::vector{command.store})) {
    console.warn(sentence);
  }
}

int run_export(const StoreCommand& command, const GlobalOptions& global) {
  warn_if_unfinished(command, global.console());
  const ResultOptions result{.formats = {}, .output = command.result.output};
  return deliver(result, global, [&](const Delivery& delivery) {
    if (command.result.output.ends_with(".tsv")) {
      TableRows table(command.store);
      write_row(table.header().names, '\t', delivery.sink);
      while (table.next()) write_row(table.fields(), '\t', delivery.sink);
      return Lacks{};
    }
    const InputFile file(command.store);
    const auto stream = open_stream(file);
    std::vector<char> buffer(std::size_t{64} << 10);
    while (const std::size_t got = stream->read(buffer.data(), buffer.size())) {
      delivery.sink({buffer.data(), got});
    }
    return Lacks{};
  });
}

int run_verify(const StoreCommand& command, const GlobalOptions& global) {
  const Messages console = global.console();
  const StudyStore store(command.store, StudyStore::Access::kRead);
  const std::vector<std::string> damage = store.damage();
  for (const std::string& what : damage) {
    console.warn(fmt::format("{}: damaged: {}", command.store, what));
  }
  if (!damage.empty()) return kCheckFailed;
  warn_if_unfinished(command, console);
  std::array<std::size_t, 4> counts{};
  for (const FileCheck& check : store.check_files(global.threads)) {
    ++counts[static_cast<std::size_t>(check.outcome)];
    if (check.outcome == FileCheck::Outcome::kSame) continue;
    console.warn(fmt::format("{}: {}", check.path, check.detail));
  }
  const auto [same, changed, gone, unreadable] = counts;
  const bool failed = changed + unreadable > 0;
  global.write(fmt::format(
      "{}: {}; files: {} as they were read, {} changed, {} unreadable, {} gone\n", command.store,
      failed ? "the store is sound, its files are not" : "sound", same, changed, unreadable, gone));
  return failed ? kCheckFailed : kDone;
}

int run_forget(const StoreCommand& command, const GlobalOptions& global) {
  if (command.names.empty() && command.fits.empty() && !command.gone) {
    throw DataError(
        "store forget: name jobs, files or folders; or use --fits LABEL for fits, or --gone for "
        "files that no longer exist");
  }
  StudyStore store(command.store, StudyStore::Access::kWrite);
  if (!command.fits.empty()) {
    const auto time =
        command.kept_at.empty() ? std::nullopt : std::optional(time_to_keep(command.kept_at));
    const std::uint64_t count = store.forget_fits(command.fits, time);
    if (count == 0) {
      throw DataError(fmt::format("{}: no fits with the label '{}'{}", command.store, command.fits,
                                  time ? " of " + *time : ""));
    }
    global.console().note(fmt::format("{} forgotten", counted(count, "document")));
  }
  std::vector<std::string> names = command.names;
  if (command.gone) {
    const std::vector<std::string> gone = store.gone_files();
    names.insert(names.end(), gone.begin(), gone.end());
  }
  if (command.gone || !names.empty()) {
    const std::uint64_t count = names.empty() ? 0 : store.forget(names);
    global.console().note(fmt::format("{} forgotten", counted(count, "file")));
  }
  return kDone;
}

void refuse_nonsense(const StoreCommand& command) {
  if (!command.action || command.store.empty()) {
    throw DataError("store: say what to do (ls, export, verify, forget) and name a store");
  }
  if (!is_study_store(command.store)) {
    throw DataError(
        fmt::format("{}: {}", command.store,
                    is_regular_file(command.store) ? "this is no study store" : "no such file"));
  }
}

int run_store(const StoreCommand& command, const GlobalOptions& global) {
  refuse_nonsense(command);
  if (command.action == Action::kLs) return run_ls(command, global);
  if (command.action == Action::kExport) return run_export(command, global);
  if (command.action == Action::kVerify) return run_verify(command, global);
  return run_forget(command, global);
}

}  // namespace

Command add_store_command(Program& program) {
  auto options = std::make_shared<StoreCommand>();
  Options store =
      program.add_command("store", "List, export, check or clean up a study store", kStoreExamples);
  store.group("Data");
  store.choice("ACTION", options->action, kActions,
               "What to do. ls lists files and fits. export writes the run table as CSV. verify "
               "reads every file again and exits with status 1 if something has changed. forget "
               "removes jobs, files or fits");
  store.text("STORE", options->store, "", "Study store, as scalelaw ingest --store makes it");
  store
      .words("NAME", options->names, "", "For forget: jobs, files, or folders with all files below")
      .only_for("ACTION=forget", "store {2}: one word too many: '{0}'");
  constexpr const char* kForgets = "{0} works only with store forget";
  store.flag("--gone", options->gone, "For forget: all files that no longer exist")
      .only_for("ACTION=forget", kForgets);
  store.text("--fits", options->fits, "LABEL", "For forget: the fits kept under this label")
      .only_for("ACTION=forget", kForgets);
  store
      .text("--kept-at", options->kept_at, "TIME",
            "For forget --fits: only the fits of this date or time")
      .needs("--fits", "{0} works only with store forget --fits");
  add_result_options(store, options->result);
  store.rules({"--format", "--columns"}).only_for("ACTION=ls", "{0} works only with store ls");
  store.rules("--output")
      .only_for("ACTION=ls|export", "-o works only with store ls and store export");
  return command_of(store, options, run_store);
}

}  // namespace scalelaw::cli
