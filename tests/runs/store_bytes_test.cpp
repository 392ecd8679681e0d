#include "runs/group_store.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scalelaw {
namespace {

const FixedLog kLog;

/// The cell at the only x in the only group.
Cell cell_of(const GroupStore& store) {
  const GroupStore::StoredCell& cell = store.cell(store.first_cell(store.groups().front()));
  EXPECT_EQ(cell.next, GroupStore::kNone);
  return cell.sums.cell(store.x(cell.x_index), store.pool());
}

/// Rows of very different size, for which a cell keeps several sums.
double y_of(int row) { return std::ldexp(1.0 + row % 97 / 97.0, row % 5 * 40 - 80); }

TEST(StoreMerger, RowsSpreadOverStoresMakeTheSameCellToTheLastBit) {
  GroupStore whole(false, true);
  whole.add_group("A\x1f");
  whole.add_x(8);
  StoreMerger merger(false, true, false);
  constexpr int kRows[] = {1, 40, 500, 0, 31, 33};  // Some stay points, some are cells.
  int row = 0;
  for (const int rows : kRows) {
    GroupStore part(false, true);
    part.add_group("A\x1f");
    part.add_x(8);
    for (int i = 0; i < rows; ++i, ++row) {
      part.add(0, 0, y_of(row));
      whole.add(0, 0, y_of(row));
    }
    merger.take(bytes_of(part, false));
  }
  const Cell expected = cell_of(whole);
  const Cell merged = cell_of(*merger.release());
  EXPECT_EQ(merged.count, 605u);
  EXPECT_EQ(merged.mean_log, expected.mean_log);
  EXPECT_EQ(merged.ss_log, expected.ss_log);
  EXPECT_EQ(merged.mean, expected.mean);
  EXPECT_EQ(merged.ss, expected.ss);
  EXPECT_EQ(merged.min, expected.min);
  EXPECT_EQ(merged.max, expected.max);
}

TEST(StoreMerger, KeepsWeightsAndRunsOfPoints) {
  GroupStore store(true, true);
  store.add_group("A\x1f");
  store.add_x(2);
  store.add_full(0, 0, {.y = 3.5, .weight = 0.25, .run = "run 7"});
  StoreMerger merger(true, true, true);
  merger.take(bytes_of(store, true));
  const auto merged = merger.release();
  const auto& point = static_cast<const FullPointNode&>(*merged->groups().front().points);
  EXPECT_EQ(merged->groups().front().key, "A\x1f");
  EXPECT_EQ(point.y, 3.5);
  EXPECT_EQ(point.weight, 0.25);
  EXPECT_EQ(point.run, "run 7");
}

TEST(RowTallyBytes, ComeBack) {
  RowTally tally;
  tally.counts = {.read = 10, .used = 5, .missing = 2, .bad = 2, .filtered = 1};
  tally.bad_rows = {{1, 70, 0, "first"}, {2, 3, 4, "second"}};
  const RowTally back = row_tally_of(bytes_of(tally));
  EXPECT_EQ(back.counts.read, 10u);
  EXPECT_EQ(back.counts.filtered, 1u);
  ASSERT_EQ(back.bad_rows.size(), 2u);
  EXPECT_EQ(back.bad_rows[1].message, "second");
  EXPECT_EQ(back.bad_rows[1].line, 4u);
}

}  // namespace
}  // namespace scalelaw
