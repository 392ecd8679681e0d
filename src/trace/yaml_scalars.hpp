#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalelaw {

/// The scalars of a YAML text, each with the names on its way joined by dots, in order.
///
/// It knows what PyYAML's dump writes: mappings and sequences in blocks, quoted texts, texts over
/// several lines. A sequence of scalars is one text, "[1, 2]"; entries of other sequences are
/// numbered from 0. A sequence or mapping between brackets is its text, and an empty one is left
/// out. null is an empty text.
std::vector<std::pair<std::string, std::string>> yaml_scalars(std::string_view text);

/// The text of a name; empty if there is none.
std::string yaml_fact(const std::vector<std::pair<std::string, std::string>>& scalars,
                      std::string_view name);

}  // namespace scalelaw
