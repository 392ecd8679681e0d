#include "trace/wandb_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "support/command.hpp"
#include "support/places.hpp"
#include "trace/formats.hpp"
#include "trace/records.hpp"

namespace scalelaw::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Pair;

// --- A writer of such files ---

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 128; value /= 128) text += static_cast<char>(value % 128 + 128);
  return text + static_cast<char>(value);
}

std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) * 8 + 2) + varint(bytes.size()) + bytes;
}

std::string number_field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) * 8) + varint(value);
}

std::string item(const std::string& key, const std::string& json) {
  return field(1, field(1, key) + field(16, json));
}

const std::string kFileHead = ":W&B\xE1\xBE" + std::string(1, '\0');

/// Writes records as LevelDB does: in blocks of 32 KiB.
class Log {
 public:
  Log& add(const std::string& record) {
    std::size_t at = 0;
    for (bool begins = true; begins || at < record.size(); begins = false) {
      std::size_t left = kBlock - text_.size() % kBlock;
      if (left < 7) text_ += std::string(left, '\0');
      if (left < 7) left = kBlock;
      const std::string part = record.substr(at, left - 7);
      at += part.size();
      const bool ends = at == record.size();
      chunk(part, begins ? (ends ? 1 : 2) : (ends ? 4 : 3));
    }
    return *this;
  }
  Log& history(int step, const std::string& items) {
    return add(field(
        2, items + field(2, step == 0 ? "" : number_field(1, static_cast<std::uint64_t>(step)))));
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kBlock = 32768;

  void chunk(const std::string& data, int kind) {
    const std::string checked = static_cast<char>(kind) + data;
    text_ += little(crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                          static_cast<uInt>(checked.size())),
                    4) +
             little(data.size(), 2) + checked;
  }

  std::string text_ = kFileHead;
};

Log begun() {
  Log log;
  log.add(field(17, field(1, "abc123") + field(3, "scaling") + field(8, "happy-tree-1") +
                        field(4, item("lr", "0.001") + item("model", R"({"layers": 12})") +
                                     item("_wandb", R"({"v": 1})"))));
  return log;
}

/// A run's folder.
class WandbFile : public testing::Test {
 protected:
  std::string add(const std::string& name, const std::string& text) const {
    const fs::path path = folder_.path() / "wandb/run-20240101_000000-abc123" / name;
    fs::create_directories(path.parent_path());
    write_bytes(path, text);
    return path.string();
  }
  WandbRun read(const std::string& text, CountedNotes& notes) const {
    return read_wandb_file(add("run-abc123.wandb", text), notes);
  }
  RunTable table(const TraceOptions& trace = {}, IngestRows rows = IngestRows::kJob) const {
    const std::string inputs[] = {folder_.path().string()};
    return ingest(inputs, {.trace = trace, .rows = rows, .threads = 1}).table;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(WandbFile, TellsSettingsMetricsAndTheEnd) {
  add("run-abc123.wandb",
      begun()
          .history(0, item("_step", "0") + item("_runtime", "1.5") + item("loss", "2.5") +
                          item("acc", "NaN"))
          .history(1, item("_step", "1") + item("_runtime", "3.5") + item("loss", "2.75") +
                          item("img", R"({"_type": "image-file", "size": 3})") +
                          item("text", R"("5")") + item("eval", R"({"a": 1, "b": {"c": 2}})"))
          .add(field(5, item("batch", "32")))
          .add(field(5, field(2, field(1, "lr"))))
          .add(field(3, item("best", "2.5") + item("_wandb", R"({"runtime": 9})")))
          .add(field(18, number_field(2, 4)))
          .text());
  const RunTable last = table();
  EXPECT_THAT(last.names,
              ElementsAre("job_id", "run_name", "project", "status", "duration_s", "batch",
                          "model.layers", "best", "loss", "acc", "eval.a", "eval.b.c"));
  EXPECT_THAT(last.rows, ElementsAre(ElementsAre("abc123", "happy-tree-1", "scaling", "finished",
                                                 "4", "32", "12", "2.5", "2.75", "", "1", "2")));
  EXPECT_EQ(table({.metrics = {"loss=min"}}).rows.at(0).at(8), "2.5");
}

TEST_F(WandbFile, GivesStepsWithTheirTime) {
  add("run-abc123.wandb",
      begun()
          .history(0, item("_runtime", "1.5") + item("loss", "2.5"))
          .history(300, item("_runtime", "3.5") +
                            field(1, field(2, "eval") + field(2, "loss") + field(16, "2.25")))
          .text());
  const RunTable steps = table({}, IngestRows::kStep);
  EXPECT_THAT(steps.names, ElementsAre("job_id", "run_name", "project", "lr", "model.layers",
                                       "step", "elapsed_s", "loss", "eval.loss"));
  std::vector<std::vector<std::string>> rows;
  steps.for_each_row([&](const std::vector<std::string>& cells) { rows.push_back(cells); });
  EXPECT_THAT(rows, ElementsAre(ElementsAre("abc123", "happy-tree-1", "scaling", "0.001", "12", "0",
                                            "1.5", "2.5", ""),
                                ElementsAre("abc123", "happy-tree-1", "scaling", "0.001", "12",
                                            "300", "3.5", "", "2.25")));
}

TEST_F(WandbFile, IsOneRunWithItsSummary) {
  const std::string binary =
      add("run-abc123.wandb", begun()
                                  .history(0, item("loss", "2.5") + item("extra", "7"))
                                  .history(1, item("loss", "2.75"))
                                  .text());
  add("files/wandb-summary.json", R"({"loss": 2.75, "_runtime": 60, "_step": 1})");
  add("files/wandb-metadata.json", R"({"gpu": "A100", "gpu_count": 8})");
  const RunTable run = table({.metrics = {"loss=min"}});
  ASSERT_EQ(run.rows.size(), 1U);
  EXPECT_THAT(run.rows[0], ElementsAre("abc123", "happy-tree-1", "scaling", "60", "A100", "8",
                                       "0.001", "12", "2.5", "7"));
  EXPECT_TRUE(records_of(kWandb, binary).empty());
}

TEST_F(WandbFile, CountsACopyOfTheNewestRunOnce) {
  add("files/wandb-summary.json", R"({"loss": 2.75, "_runtime": 60, "_step": 1})");
  add("../latest-run/files/wandb-summary.json", R"({"loss": 2.75, "_runtime": 60, "_step": 1})");
  EXPECT_EQ(table().rows.size(), 1U);
}

TEST_F(WandbFile, LeavesAFailedRunOut) {
  const std::string path =
      add("run-abc123.wandb", begun().add(field(18, number_field(1, 1))).text());
  CountedNotes notes;
  EXPECT_TRUE(kWandb.read_records(path, {}, notes).empty());
  EXPECT_EQ(notes.counts[TraceOddity::kFailedRun], 1);
}

TEST_F(WandbFile, ReadsRecordsThatFillBlocks) {
  // The sizes leave 0 to 8 bytes in the first block.
  for (std::size_t left = 0; left < 9; ++left) {
    Log log;
    const std::string head = field(2, item("a", "1") + field(9, ""));
    const std::size_t used = kFileHead.size() + 7 + head.size();
    log.add(field(2, item("a", "1") + field(9, std::string(32768 - used - left - 4, 'x'))));
    log.add(field(2, item("b", "2") + field(9, std::string(100'000, 'y'))));
    log.add(field(2, item("c", "3")));
    CountedNotes notes;
    const WandbRun run = read(log.text(), notes);
    ASSERT_EQ(run.history.size(), 3U) << left;
    EXPECT_THAT(run.history[1].values, ElementsAre(Pair("b", 2)));
    EXPECT_THAT(run.history[2].values, ElementsAre(Pair("c", 3)));
    EXPECT_TRUE(notes.counts.empty());
  }
}

TEST_F(WandbFile, GivesWhatIsWholeOfACutFile) {
  const std::string one = begun().history(0, item("loss", "2.5")).text();
  const std::string two =
      begun().history(0, item("loss", "2.5")).history(1, item("loss", "2")).text();
  for (std::size_t length = one.size(); length <= two.size(); ++length) {
    CountedNotes notes;
    const WandbRun run = read(two.substr(0, length), notes);
    EXPECT_EQ(run.history.size(), length == two.size() ? 2U : 1U);
    const bool is_cut = length > one.size() && length < two.size();
    EXPECT_EQ(notes.counts[TraceOddity::kCutLine], is_cut ? 1 : 0) << length;
    EXPECT_EQ(notes.counts[TraceOddity::kDamagedRecord], 0);
  }
  const std::string split = Log().add(field(2, field(9, std::string(40'000, 'x')))).text();
  CountedNotes notes;
  EXPECT_EQ(read(split.substr(0, 32768), notes).history.size(), 0U);
  EXPECT_EQ(notes.counts[TraceOddity::kCutLine], 1);
}

TEST_F(WandbFile, StopsAtDamage) {
  const std::string one = begun().history(0, item("loss", "2.5")).text();
  const std::string three = begun()
                                .history(0, item("loss", "2.5"))
                                .history(1, item("loss", "2"))
                                .history(2, item("loss", "1"))
                                .text();
  const std::size_t second = (three.size() - one.size()) / 2;
  for (std::size_t at = one.size(); at < one.size() + second; ++at) {
    std::string damaged = three;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CountedNotes notes;
    EXPECT_EQ(read(damaged, notes).history.size(), 1U) << at;
    // A wrong length may reach beyond the end.
    EXPECT_EQ(notes.counts[TraceOddity::kDamagedRecord] + notes.counts[TraceOddity::kCutLine], 1);
  }
  // A record that goes on without having begun.
  std::string headless = Log().add(field(2, field(9, std::string(40'000, 'x')))).text();
  headless = kFileHead + std::string(32768 - kFileHead.size(), '\0') + headless.substr(32768);
  CountedNotes notes;
  EXPECT_EQ(read(headless, notes).history.size(), 0U);
  EXPECT_EQ(notes.counts[TraceOddity::kDamagedRecord], 1);
}

TEST_F(WandbFile, IsKnownByItsHeader) {
  EXPECT_TRUE(kWandb.recognises(kFileHead));
  EXPECT_FALSE(kWandb.recognises(kFileHead.substr(0, 6) + '\1'));
  EXPECT_EQ(kWandb.missing(kFileHead.substr(0, 6) + '\2'), "its version is 2, and only 0 is known");
  EXPECT_EQ(kWandb.missing(kFileHead), "");
  EXPECT_EQ(kWandb.missing("a,b\n"), "");
}

TEST(WandbNumbers, KeepNanInsideObjects) {
  std::vector<std::string> names;
  for_each_wandb_number("train", R"({"loss": "NaN", "note": "12", "lr": 0.5})",
                        [&](const std::string& name, double) { names.push_back(name); });
  EXPECT_EQ(names, (std::vector<std::string>{"train.loss", "train.lr"}));
}

}  // namespace
}  // namespace scalelaw::test
