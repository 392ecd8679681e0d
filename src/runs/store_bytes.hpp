#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runs/group_store.hpp"
#include "runs/row_reading.hpp"

namespace scalelaw {

/// The rows of a store as bytes, exact to the last bit.
/// @param full  Its points have a weight and a run.
std::string bytes_of(const GroupStore& store, bool full);

/// Merges the rows of several stores. Sums are exact, so their order has no effect.
class StoreMerger {
 public:
  StoreMerger(bool keep_points, bool logarithmic, bool full)
      : store_(std::make_unique<GroupStore>(keep_points, logarithmic)), full_(full) {}

  /// Adds the rows from bytes that bytes_of wrote.
  void take(std::string_view bytes);
  std::unique_ptr<GroupStore> release() { return std::move(store_); }

 private:
  std::unique_ptr<GroupStore> store_;
  bool full_;
  StoreKeys keys_{*store_};
};

/// A tally as bytes.
std::string bytes_of(const RowTally& tally);
RowTally row_tally_of(std::string_view bytes);

}  // namespace scalelaw
