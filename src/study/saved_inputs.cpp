#include "scalelaw/study/saved_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw {

bool are_saved_fits(const std::vector<std::string>& inputs) {
  const auto saved = std::count_if(inputs.begin(), inputs.end(), holds_saved_fits);
  if (saved > 0 && static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(fmt::format("{}: saved fits and run tables cannot be mixed: name only one kind",
                                joined(inputs)));
  }
  return saved > 0;
}

std::optional<std::string> first_asked(
    std::initializer_list<std::pair<const char*, bool>> options) {
  for (const auto& [name, is_asked] : options) {
    if (is_asked) return name;
  }
  return std::nullopt;
}

void refuse_row_options(const StudyOptions& options, const std::string& document) {
  const auto name = first_asked({{"-x", !options.x.empty()},
                                 {"-y", !options.y.empty()},
                                 {"--by", options.by_chosen},
                                 {"--where", !options.where.empty()},
                                 {"--run", !options.run.empty()},
                                 {"--points", options.points != Points::kEach},
                                 {"--weights", !options.weights.empty()},
                                 {"--skip-bad-rows", options.skip_bad_rows},
                                 {"--keep-failed", options.keep_failed},
                                 {"--delimiter", options.layout.delimiter.has_value()},
                                 {"--decimal", options.layout.decimal.has_value()},
                                 {"--wide", !options.layout.wide.empty()},
                                 {"--table", options.layout.table > 0},
                                 {"--rate", options.rate}});
  if (!name) return;
  throw DataError(
      fmt::format("{}: it holds finished fits, whose rows and columns {} cannot change; name the "
                  "table of runs instead",
                  document, *name));
}

std::optional<double> gpus_per_node_of_saved(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto number = number_as_written(text);
  if (number && *number > 0) return number;
  throw DataError(fmt::format(
      "--gpus-per-node: saved fits have no columns, so that it takes a number above 0, such as 8; "
      "found {}",
      quoted(text)));
}

}  // namespace scalelaw
