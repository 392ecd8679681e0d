#include "scalelaw/study/tails.hpp"

#include "scalelaw/runs/columns.hpp"
#include "scalelaw/study/notes.hpp"

namespace scalelaw {
namespace {

/// The column of the values: the one that is named, the only one, or one with a usual name.
ChosenColumns columns_of(const StudyOptions& study, const Header& header, std::string_view source,
                         const TableProfile& profile) {
  RunOptions wanted;
  wanted.has_x = false;
  wanted.y = study.y.empty() && header.names.size() == 1 ? header.names.front() : study.y;
  wanted.by = study.by;
  wanted.by_chosen = study.by_chosen;
  wanted.where = study.where;
  wanted.run = study.run;
  // A column that is named is taken whatever it holds, and so are the groups beside it.
  return choose_columns(header, wanted, source, study.y.empty() ? &profile : nullptr);
}

Observations read_sample(const StudyOptions& study, const TailOptions& tail,
                         const CallConditions& conditions) {
  refuse_no_input(study);
  std::string chosen;
  const ChooseColumns choose = [&](const Header& header, std::string_view source,
                                   const TableProfile& profile) {
    const ChosenColumns columns = columns_of(study, header, source, profile);
    chosen = description_of(columns);
    return ObservationColumns{.by = columns.by,
                              .numbers = {{.name = columns.y, .whole = tail.discrete}},
                              .run = columns.run};
  };
  Observations sample = read_observations(study.inputs, choose, row_options(study, conditions));
  conditions.say.note(chosen);
  say_what_was_left_out(sample.rows(), sample.bad_rows(), conditions.say);
  return sample;
}

}  // namespace

TailStudy read_tails(const StudyOptions& study, const TailOptions& options,
                     const CallConditions& conditions) {
  TailStudy tails{{}, read_sample(study, options, conditions)};
  TailReport& report = tails.report;
  report.study.inputs = study.inputs;
  report.study.y = tails.sample.numbers()[kSampleColumn].name;
  report.study.y_unit = tails.sample.unit(kSampleColumn);
  report.study.quantity = quantity_of(report.study.y, report.study.y_unit);
  report.study.by = tails.sample.by();
  report.study.run = study.run;
  report.study.rows = tails.sample.rows();
  report.options = options;
  report.options.seed = study.bootstrap.seed;
  report.options.confidence = study.confidence;
  report.options.threads = conditions.threads;
  return tails;
}

}  // namespace scalelaw
