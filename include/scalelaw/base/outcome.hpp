#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "scalelaw/base/error.hpp"

namespace scalelaw {

/// The values of the group columns, in their order.
using GroupKey = std::vector<std::string>;

/// Why there is no result: what a FitError said.
struct NoFit {
  FailureCode code;
  std::string message;
};

/// A result, or why there is none.
template <class T>
using Outcome = std::variant<T, NoFit>;

/// A group and what came of it.
template <class T>
struct Grouped {
  GroupKey group;
  Outcome<T> result;
};

/// The groups that have a result, each with it.
template <class T>
std::vector<std::pair<const GroupKey&, const T&>> found_in(const std::vector<Grouped<T>>& groups) {
  std::vector<std::pair<const GroupKey&, const T&>> found;
  for (const auto& [group, result] : groups) {
    if (const T* const one = std::get_if<T>(&result)) found.emplace_back(group, *one);
  }
  return found;
}

/// What `make` returns, or why it could not: the one place where a FitError becomes a NoFit, so
/// that one group without a result does not stop the others. Other errors pass.
template <class Make>
auto outcome_of(Make&& make) -> Outcome<std::decay_t<std::invoke_result_t<Make>>> {
  try {
    return std::forward<Make>(make)();
  } catch (const FitError& error) {
    return NoFit{error.code(), error.what()};
  }
}

/// Applies `make` to the result of an earlier stage, or passes on its failure.
template <class T, class Make>
auto outcome_of(const Outcome<T>& basis, Make&& make)
    -> Outcome<std::decay_t<std::invoke_result_t<Make, const T&>>> {
  if (const NoFit* failure = std::get_if<NoFit>(&basis)) return *failure;
  return outcome_of([&] { return std::forward<Make>(make)(std::get<T>(basis)); });
}

/// What `make` returns. Nothing if it throws a FitError; the reason is lost.
template <class Make>
auto if_possible(Make&& make) -> std::optional<std::decay_t<std::invoke_result_t<Make>>> {
  auto outcome = outcome_of(std::forward<Make>(make));
  if (std::holds_alternative<NoFit>(outcome)) return std::nullopt;
  return std::get<0>(std::move(outcome));
}

}  // namespace scalelaw
