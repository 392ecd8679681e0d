#pragma once

#include <string_view>

#include "trace/run_facts.hpp"

namespace scalelaw {

/// The scalars of the first document of a YAML text, each with the names on its way joined by dots,
/// in order. A sequence of scalars is one text, "[1, 2]"; entries of other sequences are numbered
/// from 0. Empty sequences and mappings are left out. null is an empty text.
/// Of more than 10,000 nodes, which aliases can make, the first count.
/// @throws ParseError naming line and column if it is no YAML, or nests deeper than 64 levels.
RowFacts yaml_scalars(std::string_view text, std::string_view source);

}  // namespace scalelaw
