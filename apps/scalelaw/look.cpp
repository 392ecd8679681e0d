#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/look_report.hpp"
#include "scalelaw/runs/look.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kLookExamples = R"(  scalelaw look data/demo/runs.csv
      What the table contains, and which commands to run next. The same as: scalelaw data/demo/runs.csv
  scalelaw look data/two_scales/runs.csv --format json
      The same as JSON, for programs.
)";

struct LookCommand {
  StudyOptions study;
  ResultOptions result;
};

/// Points from a log or trace, in which no table was understood, to the command that makes one.
void point_to_ingest(const std::vector<std::string>& inputs, TableLook& look) {
  const bool has_scale = !look.x.empty() || !look.scales.empty() || !look.equal_xs.empty();
  if (has_scale && (!look.y.empty() || !look.equal_ys.empty())) return;
  const std::string first = expand_inputs(inputs).front();
  const std::string title = title_of_trace(first);
  if (title.empty()) return;
  look.answer = fmt::format("{}: {}, and no table. ingest makes a table of it, with a row per run.",
                            input_name(first), title);
  look.columns.clear();
  look.findings.clear();
  look.next = {{SuggestedCall("ingest", inputs).option("-o", "runs.csv").text(),
                "The table of runs, which fit takes; scalelaw look runs.csv tells what is in it."}};
}

int run_look(const LookCommand& options, const GlobalOptions& global) {
  refuse_no_input(options.study);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    std::vector<std::string> inputs = options.study.inputs;
    std::string kept;
    const auto stream = std::ranges::find(inputs, "-");
    if (stream != inputs.end()) kept = keep_standard_input();  // It is read twice.
    TableLook look = look_at(inputs, row_options(options.study, global.conditions()));
    if (kept.empty()) point_to_ingest(inputs, look);
    write_look(look, delivery.style, delivery.sink);
    return Lacks{};
  });
}

}  // namespace

Command add_look_command(Program& program) {
  auto options = std::make_shared<LookCommand>();
  Options look = program.add_command(
      "look", "Tell what a table contains and which commands to run next", kLookExamples);
  add_input_option(look, options->study);
  add_axis_options(look, options->study);
  add_selection_options(look, options->study);
  add_result_options(look, options->result);
  return command_of(look, options, run_look);
}

}  // namespace scalelaw::cli
