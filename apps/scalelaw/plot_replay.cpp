#include <memory>

#include "plot.hpp"
#include "replay_options.hpp"
#include "scalelaw/render/result_figures.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kPlotReplayExamples =
    R"(  scalelaw plot replay --train data/replay/train.csv --power data/replay/power_demo.csv --target-metric 0.7 --max-epochs 30 --b0 128 --policy zeus,default,oracle,grid --seed 1..100 -o /tmp/replay.svg
      Four policies, compared with the default and the oracle, with intervals over 100 seeds.
)";

struct PlotReplayCommand {
  ReplayOptions replay;
  DrawingOptions drawing;
};

int run_plot_replay(const PlotReplayCommand& options, const GlobalOptions& global) {
  check_combination(options.replay);
  return draw(options.drawing, global, [&] {
    const Traces traces = read_traces(options.replay, global.console());
    const ReplayStudy study = study_of(options.replay, traces, global.threads);
    for (const std::string& sentence : lacks_of(study.report.rows)) global.console().warn(sentence);
    return replay_figure(study.report);
  });
}

}  // namespace

Command add_plot_replay_command(Program& program) {
  auto options = std::make_shared<PlotReplayCommand>();
  Options plot =
      program.add_command("plot-replay", "Draw what policies cost each time a training job recurs",
                          kPlotReplayExamples);
  add_replay_options(plot, options->replay);
  add_seed_confidence(plot, options->replay, "Figure");
  add_drawing_options(plot, options->drawing);
  return command_of(plot, options, run_plot_replay);
}

}  // namespace scalelaw::cli
