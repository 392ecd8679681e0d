#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scalelaw/judge/mixture.hpp"
#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// The cells of one group, sorted by x, of which a mixture can be made (mixture_of); empty where
/// there is nothing to learn from it.
using CellsOfGroup = std::function<std::vector<Cell>(std::size_t group)>;

/// What the other groups of a study tell about the laws of one of them (Pool::kLaws).
struct LearnedPriors {
  std::vector<LawPriors> parts;  ///< Each learned without one part; the last from all groups.
  std::vector<std::uint8_t>
      part_of;             ///< The part of each group; that of all where it tells nothing.
  std::size_t groups = 0;  ///< How many groups there are to learn from.

  /// The priors of a group, in which its own runs have no part.
  const LawPriors& of(std::size_t group) const { return parts[part_of[group]]; }
  const LawPriors& of_all() const { return parts.back(); }
};

/// Fewer groups than these tell too little about each other.
inline constexpr std::size_t kFewestToLearnFrom = 5;

/// A group with fewer different x tells too little of its law.
inline constexpr std::size_t kFewestScalesToLearnFrom = 4;

/// Learns the priors of a mixture from the groups of a study by empirical Bayes (Morris 1983,
/// Parametric Empirical Bayes Inference): how often each law holds, how exponents, floors,
/// serial work and coherency are distributed, and how much levels scatter. The likeliest priors are
/// found by expectation and maximisation, where the usual priors of parameters (LawPriors) count as
/// one group, and the usual weights of laws as about six. It assumes that groups are draws from one
/// population. A group's own runs have no part in its priors: they are learned from other parts of
/// the groups, of which at most 500 are taken. docs/explanation/pooling.md has the model, and
/// coverage.md says how often intervals hold.
///
/// @param sign     As in mixture_of.
/// @param usual    The usual priors.
/// @param threads  0: all processors. The result does not depend on it.
/// @return Empty below kFewestToLearnFrom groups.
std::optional<LearnedPriors> learn_priors(std::size_t groups, const CellsOfGroup& cells_of,
                                          double sign, int threads, const LawPriors& usual = {});

}  // namespace scalelaw
