#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "scalelaw/base/outcome.hpp"

namespace scalelaw {

/// The results of all groups for those who must look at them more than once. Up to kMostKept are
/// kept. More are made anew at every visit, so that memory does not grow with their number.
template <class T>
class GroupResults {
 public:
  static constexpr std::size_t kMostKept = 10000;
  using Sink = std::function<void(Grouped<T>&&)>;

  /// @param groups  How many there are.
  /// @param make    Hands every result to a sink, in order, and the same ones at every call.
  GroupResults(std::size_t groups, std::function<void(const Sink&)> make)
      : make_(std::move(make)), keeps_(groups <= kMostKept) {
    if (keeps_) make_([this](Grouped<T>&& group) { kept_.push_back(std::move(group)); });
  }

  void for_each(const std::function<void(const Grouped<T>&)>& visit) const {
    if (!keeps_) return make_([&visit](Grouped<T>&& group) { visit(group); });
    for (const Grouped<T>& group : kept_) visit(group);
  }

 private:
  std::function<void(const Sink&)> make_;
  bool keeps_;
  std::vector<Grouped<T>> kept_;
};

}  // namespace scalelaw
