#include <fmt/format.h>

#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/tail_figure.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw::cli {
namespace {

/// Options of laws over x, of which a sample has none.
void refuse_others(const Options& command) {
  if (const auto name =
          command.first_given({"-x", "--law", "--rate", "--errors", "--se", "--robust", "--weights",
                               "--points", "--bootstrap-kind", "--at", "--flops"})) {
    throw DataError(fmt::format("{} does not go with plot tail, which is of one column", *name));
  }
}

}  // namespace

Figure tail_figure_of(const PlotCommand& options, const GlobalOptions& global) {
  constexpr std::size_t kMostPoints = 300;
  refuse_others(options.call);
  TailChoice choice = options.tail;
  if (options.call.given("--bootstrap")) choice.draws = options.study.resamples;
  const TailOptions tail = tail_options(options.study, choice, global);
  const Observations sample = read_sample(options.study, options.tail, global);
  const std::vector<GroupTail> groups = judge_tails(sample, tail);
  std::vector<DrawnTail> drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (const NoFit* failure = std::get_if<NoFit>(&groups[i].result)) {
      global.console().warn(fmt::format("no tail of {}: {} ({})",
                                        group_name(sample.by(), groups[i].group), failure->message,
                                        name_of(failure->code)));
      continue;
    }
    const Tail* found = std::get_if<Tail>(&groups[i].result);
    DrawnTail& one = drawn.emplace_back(DrawnTail{groups[i].group, *found, {}, {}, {}});
    one.sample = sample_curve(sample.values(i, kSampleColumn), kMostPoints);
    one.power_law = power_law_curve(*found, tail.discrete);
    for (const TailAlternative& alternative : found->alternatives) {
      one.alternatives.push_back(alternative_curve(*found, alternative, tail.discrete));
    }
  }
  if (drawn.empty()) throw DataError("no group has a tail to draw");
  return tail_figure(sample.numbers()[kSampleColumn].name, drawn);
}

}  // namespace scalelaw::cli
