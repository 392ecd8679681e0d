#pragma once

#include <optional>
#include <string_view>

namespace scalelaw {

/// What people count with scales, without its plural: "gpu" for "GPUs"; empty for other words. The
/// text is of the whole program, not of the word.
std::string_view counted_thing(std::string_view word);

/// A count with what is counted.
struct ThingCount {
  double number = 0;
  std::string_view thing;  ///< As counted_thing().
};

/// The count of a cell that tells it with nodes: 8 GPUs of "8 GPUs across 2 nodes", 16 of
/// "2 nodes x 8 GPUs". Empty for any other text.
std::optional<ThingCount> count_in_words(std::string_view text);

/// So many GPUs of one model: "8xA100", "2x8xH100", "4 x H100".
struct ModelCount {
  double number;
  std::string_view model;
};
std::optional<ModelCount> count_of_model(std::string_view text);

/// The product of the whole numbers in brackets, "(1, 4)" and "[2, 2, 2]", as of a grid of ranks;
/// empty for any other text.
std::optional<double> product_of_tuple(std::string_view text);

/// The product of "2x4" and "2 × 4 × 2"; empty for any other text.
std::optional<double> product_in(std::string_view text);

}  // namespace scalelaw
