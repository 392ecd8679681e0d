#include "plot.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/render/tail_figure.hpp"

namespace scalelaw::cli {

Figure tail_figure_of(const PlotCommand& options, const GlobalOptions& global) {
  constexpr std::size_t kMostPoints = 300;
  TailOptions tail = tail_options(options.study, options.tail, global);
  const Observations sample = read_sample(options.study, options.tail, global);
  const std::vector<GroupTail> groups = judge_tails(sample, tail);
  std::vector<DrawnTail> drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Tail* found = std::get_if<Tail>(&groups[i].result);
    if (found == nullptr) continue;
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
