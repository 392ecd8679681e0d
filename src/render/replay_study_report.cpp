// A study of replays in every format.

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "render/json_document.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/replay_report.hpp"

namespace scalelaw {
namespace {

const CaseSummary* summary_of_row(const StudyRow& row) {
  return std::get_if<CaseSummary>(&row.result);
}

/// The summary of a row, unless every seed failed: then its means are none.
const CaseSummary* known_summary(const StudyRow& row) {
  const CaseSummary* const summary = summary_of_row(row);
  return summary != nullptr && summary->failed < summary->seeds ? summary : nullptr;
}

/// Mean and half the interval, as percentages.
std::string share_and_error(const OverSeeds& figure) {
  std::string mean = shown_text(figure.mean, percent(1));
  if (!figure.ci) return mean;
  mean.resize(mean.size() - 2);  // The unit comes behind the error.
  return fmt::format("{} ± {}", mean,
                     shown_text((figure.ci->upper - figure.ci->lower) / 2, percent(1)));
}

std::string mean_energy(const OverSeeds& figure) { return energy_text(figure.mean); }
std::string mean_time(const OverSeeds& figure) { return time_text(figure.mean); }

/// A mean over seeds: where it stands, null if it is not known, and how people see it.
struct MeanFigure {
  const char* name;
  const OverSeeds* (*of)(const StudyRow&);
  std::string (*text)(const OverSeeds&);
};

template <OverSeeds CaseSummary::*total>
const OverSeeds* total_of(const StudyRow& row) {
  const CaseSummary* const summary = known_summary(row);
  return summary != nullptr ? &(summary->*total) : nullptr;
}

template <std::optional<OverSeeds> CaseSummary::*figure>
const OverSeeds* figure_of(const StudyRow& row) {
  const CaseSummary* const summary = summary_of_row(row);
  return summary != nullptr ? pointer_to(summary->*figure) : nullptr;
}

constexpr MeanFigure kMeans[] = {
    {"energy_j", total_of<&CaseSummary::energy_j>, mean_energy},
    {"time_s", total_of<&CaseSummary::time_s>, mean_time},
    {"cost", total_of<&CaseSummary::cost>, mean_energy},
    {"regret", figure_of<&CaseSummary::regret>, mean_energy},
    {"excess", figure_of<&CaseSummary::excess>, share_and_error},
    {"energy_saving", figure_of<&CaseSummary::energy_saving>, share_and_error},
    {"time_saving", figure_of<&CaseSummary::time_saving>, share_and_error},
    {"cost_saving", figure_of<&CaseSummary::cost_saving>, share_and_error}};

// JSON.

void write_mean(JsonText& json, const OverSeeds& figure) {
  json << Members{{"mean", figure.mean}, {"sd", figure.standard_deviation}, {"ci", figure.ci}};
}

/// NAME and NAME_ci.
void write_curve_value(JsonText& json, const std::string& name,
                       const std::optional<CurveValue>& value) {
  json.key(name).number(value ? std::optional(value->mean) : std::nullopt);
  write_interval(json.key(name + "_ci"), value ? value->ci : std::nullopt);
}

void write_replay_point(JsonText& json, const CurvePoint& point) {
  write_curve_value(json, "cost", point.cost);
  write_curve_value(json, "energy_j", point.energy_j);
  write_curve_value(json, "time_s", point.time_s);
  write_curve_value(json, "regret", point.regret);
  write_curve_value(json, "cost_ratio", point.cost_ratio);
  write_curve_value(json, "energy_ratio", point.energy_ratio);
  write_curve_value(json, "time_ratio", point.time_ratio);
  json.key("best_share").number(point.best_share);
}

void write_summary(JsonText& json, const ReplayStudyReport& report, const StudyRow& row,
                   const CaseSummary& summary) {
  json << Members{
      {"recurrences", summary.recurrences}, {"seeds", summary.seeds}, {"failed", summary.failed}};
  json.key("failure").text_or_null(summary.first_failure.value_or(""));
  json.key("runs").number(member_of(known_summary(row), &CaseSummary::runs));
  for (const MeanFigure& mean : kMeans) write_object(json.key(mean.name), mean.of(row), write_mean);
  write_oracle(json.key("oracle"), *row.trace, summary);
  json.key("best_share").number(member_of(known_summary(row), &CaseSummary::best_share));
  json.key("converged_after").number(summary.converged_after);
  if (report.curves) write_objects(json.key("curve"), summary.curve, write_replay_point);
}

void write_row(JsonText& json, const ReplayStudyReport& report, const StudyRow& row) {
  json << Members{{"gpu", row.gpu}, {"dataset", row.dataset}};
  write_policy(json, row.settings);
  if (row.trace != nullptr) write_object(json.key("job"), row.trace->job, write_job);
  if (const CaseSummary* summary = summary_of_row(row)) {
    write_summary(json, report, row, *summary);
  } else {
    json.key("failure").text(std::get<std::string>(row.result));
  }
}

auto write_row_of(const ReplayStudyReport& report) {
  return [&report](JsonText& json, const StudyRow& row) { write_row(json, report, row); };
}

void write_json(const ReplayStudyReport& report, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.replay-study/1");
  std::vector<std::string> files{report.train};
  files.insert(files.end(), report.power.begin(), report.power.end());
  write_strings(document.member("inputs"), files);
  document.member("random").text(name_of(report.random));
  write_each(document.member("seeds"), report.seeds,
             [](JsonText& json, std::uint64_t seed) { json.count(seed); });
  document.member("confidence").number(report.confidence);
  write_strings(document.member("warnings"), report.warnings);
  document.list("cases", report.rows, write_row_of(report));
  document.finish();
}

/// A setting that people see as a column where it varies, and in the caption where it does not.
struct SettingColumn {
  const char* name;
  const char* title;
  std::string (*text)(const StudyRow&);
};

constexpr SettingColumn kSettings[] = {
    {"gpu", "GPU", [](const StudyRow& row) { return row.gpu; }},
    {"dataset", "dataset", [](const StudyRow& row) { return row.dataset; }},
    {"policy", "policy",
     [](const StudyRow& row) { return std::string(name_of(row.settings.policy.batch_size)); }},
    {"limits", "limits", [](const StudyRow& row) { return limits_text(row.settings.policy); }},
    {"mode", "mode",
     [](const StudyRow& row) { return std::string(name_of(row.settings.policy.mode)); }},
    {"eta", "eta", [](const StudyRow& row) { return fmt::format("{}", row.settings.policy.eta); }},
    {"beta", "beta", [](const StudyRow& row) { return beta_text(row.settings.beta); }}};

bool varies(const ReplayStudyReport& report, const SettingColumn& setting) {
  return any_of(report.rows, [&](const StudyRow& row) {
    return setting.text(row) != setting.text(report.rows.front());
  });
}

/// The settings that tell a case from the others of the study; empty for the only one.
std::string case_name(const ReplayStudyReport& report, const StudyRow& row) {
  std::vector<std::string> parts;
  for (const SettingColumn& setting : kSettings) {
    if (varies(report, setting)) {
      parts.push_back(fmt::format("{} {}", setting.title, setting.text(row)));
    }
  }
  return joined(parts);
}

bool any_seed_failed(const ReplayStudyReport& report) {
  return any_of(report.rows, [](const StudyRow& row) {
    const CaseSummary* const summary = summary_of_row(row);
    return summary != nullptr && summary->failed > 0;
  });
}

std::string caption_of(const ReplayStudyReport& report) {
  std::string caption = fmt::format("Replays of recurring jobs over {} (random numbers of {})",
                                    counted(report.seeds.size(), "seed"), name_of(report.random));
  for (const SettingColumn& setting : kSettings) {
    if (report.rows.empty() || varies(report, setting)) continue;
    caption += fmt::format(", {} {}", setting.title, setting.text(report.rows.front()));
  }
  return caption;
}

/// The case that saves most of the cost.
std::vector<std::string> answer_of(const ReplayStudyReport& report) {
  const StudyRow* best = nullptr;
  const auto saving = [](const StudyRow& row) {
    const CaseSummary* const summary = summary_of_row(row);
    return summary != nullptr && summary->cost_saving ? summary->cost_saving->mean : -1e300;
  };
  for (const StudyRow& row : report.rows) {
    if (best == nullptr || saving(row) > saving(*best)) best = &row;
  }
  if (best == nullptr || summary_of_row(*best) == nullptr || !summary_of_row(*best)->cost_saving) {
    return {
        "No case of the study has savings, because none could be compared with the default batch "
        "size."};
  }
  const std::string name = case_name(report, *best);
  return {fmt::format("Of {}, {} saves the most: {} of the cost on average over {}.",
                      counted(report.rows.size(), "case"), name.empty() ? "the only one" : name,
                      shown_text(saving(*best), percent(1)), counted(report.seeds.size(), "seed"))};
}

std::vector<std::string> notes_of(const ReplayStudyReport& report) {
  std::vector<std::string> notes{
      fmt::format("saved: compared with the default batch size at the highest power limit; mean "
                  "over seeds{}",
                  report.seeds.size() > 1
                      ? fmt::format(" ± half of its {:g} % interval", 100 * report.confidence)
                      : ""),
      "over oracle: cost above that of always using the best batch size and power limit",
      "settled: number of recurrences after which 95 % of the choices are the best batch size"};
  if (any_seed_failed(report)) {
    notes.push_back(
        "seeds: how many went through all recurrences; the others are left out of all means");
  }
  for (const StudyRow& row : report.rows) {
    const std::string name = case_name(report, row);
    if (const std::string* reason = std::get_if<std::string>(&row.result)) {
      notes.push_back(
          fmt::format("There is no replay{}: {}", name.empty() ? "" : " of " + name, *reason));
    } else if (const auto& summary = std::get<CaseSummary>(row.result); summary.failed > 0) {
      notes.push_back(fmt::format("{}{} of {} seeds ended early: {}",
                                  name.empty() ? "" : name + ": ", summary.failed, summary.seeds,
                                  *summary.first_failure));
    }
  }
  return notes;
}

// Columns.

/// The trace of the best knobs; null where they are not known.
const SizeTrace* best_size(const StudyRow& row) {
  const CaseSummary* const summary = summary_of_row(row);
  return summary != nullptr && summary->oracle ? &row.trace->sizes[summary->oracle->size] : nullptr;
}

double best_limit(const StudyRow& row) {
  return best_size(row)->limits[summary_of_row(row)->oracle->limit].limit_w;
}

void add_settings(Sheet<StudyRow>& sheet, const ReplayStudyReport& report) {
  using Row = StudyRow;
  const auto policy = sheet.part([](const Row& row) { return &row.settings.policy; });
  sheet.add("gpu", &Row::gpu);
  sheet.add("dataset", &Row::dataset);
  policy.add("policy", &PolicySettings::batch_size);
  policy.add("power_policy", &PolicySettings::power_limit);
  sheet.add("fixed_limit_w", [](const Row& row) {
    const PolicySettings& its = row.settings.policy;
    return its.power_limit == PowerLimitRule::kFixed ? std::optional(its.fixed_limit_w)
                                                     : std::nullopt;
  });
  sheet.for_people("limits", [](const Row& row) { return limits_text(row.settings.policy); });
  policy.add("mode", &PolicySettings::mode);
  policy.add("eta", &PolicySettings::eta);
  sheet.add("beta", [](const Row& row) { return row.settings.beta; });
  policy.add("window", &PolicySettings::window);
  const auto job =
      sheet.part([](const Row& row) { return row.trace != nullptr ? &row.trace->job : nullptr; });
  job.add("b0", &Job::default_batch_size);
  job.add("target_metric", &Job::target_metric);
  sheet.add("random", [&report](const Row&) { return name_of(report.random); });
  sheet.add("confidence", [&report](const Row&) { return report.confidence; });
}

/// Adds NAME, NAME_sd, NAME_lower and NAME_upper of a mean over seeds.
void add_mean(Sheet<StudyRow>& sheet, const MeanFigure& mean) {
  const std::string name = mean.name;
  const auto figure = sheet.part(mean.of);
  figure.add(name, &OverSeeds::mean).seen_as(figure.seen(mean.text));
  figure.add(name + "_sd", &OverSeeds::standard_deviation);
  const auto ends = figure.part(&OverSeeds::ci);
  ends.add(name + "_lower", &Interval::lower);
  ends.add(name + "_upper", &Interval::upper);
}

void add_best_knobs(Sheet<StudyRow>& sheet) {
  sheet.part(best_size).add("oracle_batch_size", &SizeTrace::batch_size);
  sheet.add("oracle_power_limit", [](const StudyRow& row) {
    return best_size(row) != nullptr ? std::optional(best_limit(row)) : std::nullopt;
  });
  sheet.part(summary_of_row).add("oracle_cost", &CaseSummary::oracle_cost);
  sheet
      .for_people("best_knobs",
                  [](const StudyRow& row) {
                    const SizeTrace* const size = best_size(row);
                    return size == nullptr
                               ? "-"
                               : fmt::format("{} at {} W", size->batch_size, best_limit(row));
                  })
      .right();
}

void add_summary(Sheet<StudyRow>& sheet) {
  const auto summary = sheet.part(summary_of_row);
  const auto known = sheet.part(known_summary);
  summary.add("recurrences", &CaseSummary::recurrences);
  summary.add("seeds", &CaseSummary::seeds);
  summary.add("failed", &CaseSummary::failed);
  // The seeds that went through, which are all that the figures tell of.
  summary
      .for_people("used_seeds",
                  [](const CaseSummary& one) {
                    return fmt::format("{} of {}", one.seeds - one.failed, one.seeds);
                  })
      .right();
  known.add("runs", &CaseSummary::runs);
  for (const MeanFigure& mean : kMeans) add_mean(sheet, mean);
  add_best_knobs(sheet);
  known.add("best_share", &CaseSummary::best_share);
  summary.add("converged_after", &CaseSummary::converged_after);
  sheet.add("failure", [](const StudyRow& row) {
    const CaseSummary* const one = summary_of_row(row);
    return one == nullptr ? std::get<std::string>(row.result) : one->first_failure.value_or("");
  });
}

Sheet<StudyRow> study_sheet(const ReplayStudyReport& report) {
  Sheet<StudyRow> sheet{std::vector<KeyColumn>()};
  add_settings(sheet, report);
  add_summary(sheet);
  for (const SettingColumn& setting : kSettings) {
    sheet.named(setting.name).seen_as(setting.text).left().key();
    if (varies(report, setting)) sheet.show(setting.name, setting.title);
  }
  if (any_seed_failed(report)) sheet.show("used_seeds", "seeds");
  sheet.show("recurrences", "recurrences");
  sheet.show("energy_saving", "energy saved");
  sheet.show("time_saving", "time saved");
  sheet.show("cost_saving", "cost saved");
  sheet.show("excess", "over oracle");
  sheet.show("best_knobs", "best knobs");
  sheet.show("converged_after", "settled");
  return sheet;
}

}  // namespace

void write_replay_study(const ReplayStudyReport& report, const TableStyle& style,
                        const TextSink& sink) {
  const Sheet<StudyRow> sheet = study_sheet(report);
  sheet.refuse_unknown(style);
  if (style.format == Format::kJson) return write_json(report, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, report.rows, write_row_of(report));
  SheetWriter rows(sheet, style, sink);
  for (const StudyRow& row : report.rows) rows.add(row);
  rows.finish(
      {.answer = answer_of(report), .caption = caption_of(report), .lines = notes_of(report)});
}

}  // namespace scalelaw
