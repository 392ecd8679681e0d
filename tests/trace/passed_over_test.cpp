#include "trace/ingest_warnings.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "support/command.hpp"

namespace scalelaw::test {
namespace {

TEST(FilesPassedOver, AreCountedByTheirEndings) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  std::filesystem::create_directories(root / "a" / ".git");
  for (const char* const name : {"a/run.log", "a/model.pt", "b.md", "stdout", "a/.git/x.pack"}) {
    write_bytes((root / name).string(), "x");
  }
  FolderFindings findings;
  const std::vector<std::string> inputs{root.string()};
  const std::vector<std::string> read = expand_inputs(inputs, FolderFiles::kTraces, &findings);
  EXPECT_EQ(read, std::vector{(root / "a" / "run.log").string()});
  EXPECT_EQ(
      note_on_passed_over(findings.passed_over),
      "3 files of the folders have endings that ingest does not look at (.md, .pt, none); name "
      "such a file itself to have it read");
  FolderFindings of_file;
  expand_inputs(read, FolderFiles::kTraces, &of_file);
  EXPECT_EQ(note_on_passed_over(of_file.passed_over), std::nullopt);
}

TEST(FilesPassedOver, DoNotCountWhatIsKnown) {
  const TemporaryFolder folder;
  const std::string table = (folder.path() / "runs.db").string();
  write_bytes(table, "x");
  write_bytes((folder.path() / "1-r1-n1.csv").string(),
              "timestamp,gpu_index,utilization_gpu_pct\n1600000000.0,0,50\n1600000002.0,0,70\n");
  const std::vector<std::string> inputs{folder.path().string()};
  IngestOptions options;
  EXPECT_EQ(ingest(inputs, options).notes.front(),
            "1 file of the folders has an ending that ingest does not look at (.db); name such a "
            "file itself to have it read");
  options.leave_out = {table};
  EXPECT_TRUE(ingest(inputs, options).notes.empty());
}

TEST(FilesPassedOver, AreNoSettingsThatAreReadWithARun) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
  std::vector<std::string> files;
  for (const char* const name : {"a/hparams.yaml", "b/config.yaml", "c/hparams.yaml"}) {
    std::filesystem::create_directories((root / name).parent_path());
    files.push_back((root / name).string());
    write_bytes(files.back(), "x");
  }
  write_bytes((root / "a/metrics.csv").string(), "x");
  write_bytes((root / "b/wandb-summary.json").string(), "x");
  EXPECT_EQ(note_on_passed_over(files),
            "1 file of the folders has an ending that ingest does not look at (.yaml); name such a "
            "file itself to have it read");
}

TEST(FilesPassedOver, AreNoValuesOfMlflow) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "mlruns" / "0" / "a1";
  std::filesystem::create_directories(run / "metrics" / "train");
  std::filesystem::create_directories(folder.path() / "metrics");
  for (const std::filesystem::path& file : {run / "meta.yaml", run / "metrics" / "train" / "loss",
                                            folder.path() / "metrics" / "loss"}) {
    write_bytes(file.string(), "x");
  }
  const std::vector<std::string> files{(run / "metrics" / "train" / "loss").string(),
                                       (folder.path() / "metrics" / "loss").string()};
  EXPECT_EQ(note_on_passed_over(std::span(files).first(1)), std::nullopt);
  EXPECT_TRUE(note_on_passed_over(files)->starts_with("1 file of the folders has an ending"));
}

}  // namespace
}  // namespace scalelaw::test
