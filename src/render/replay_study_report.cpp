// A study of replays in every format.

#include <fmt/format.h>

#include <algorithm>

#include "documents/json_parts.hpp"
#include "render/json_lists.hpp"
#include "render/replay_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/replay_report.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_figure(JsonText& json, const std::optional<OverSeeds>& figure) {
  if (!figure) return json.null();
  json.open('{');
  json.key("mean").number(figure->mean);
  json.key("sd").number(figure->standard_deviation);
  write_interval(json.key("ci"), figure->ci);
  json.close('}');
}

/// The figures of a summary that failed for every seed are none.
std::optional<OverSeeds> known(const CaseSummary& summary, const OverSeeds& figure) {
  return summary.failed < summary.seeds ? std::optional(figure) : std::nullopt;
}

/// NAME and NAME_ci.
void write_curve_value(JsonText& json, const std::string& name,
                       const std::optional<CurveValue>& value) {
  json.key(name).number(value ? std::optional(value->mean) : std::nullopt);
  write_interval(json.key(name + "_ci"), value ? value->ci : std::nullopt);
}

void write_curve(JsonText& json, const std::vector<CurvePoint>& curve) {
  json.open('[');
  for (const CurvePoint& point : curve) {
    json.open('{');
    write_curve_value(json, "cost", point.cost);
    write_curve_value(json, "energy_j", point.energy_j);
    write_curve_value(json, "time_s", point.time_s);
    write_curve_value(json, "regret", point.regret);
    write_curve_value(json, "cost_ratio", point.cost_ratio);
    write_curve_value(json, "energy_ratio", point.energy_ratio);
    write_curve_value(json, "time_ratio", point.time_ratio);
    json.key("best_share").number(point.best_share);
    json.close('}');
  }
  json.close(']');
}

void write_summary(JsonText& json, const ReplayStudyReport& report, const StudyRow& row,
                   const CaseSummary& summary) {
  json.key("recurrences").count(std::uint64_t{summary.recurrences});
  json.key("seeds").count(std::uint64_t{summary.seeds});
  json.key("failed").count(std::uint64_t{summary.failed});
  json.key("failure");
  summary.first_failure ? json.text(*summary.first_failure) : json.null();
  json.key("runs").number(summary.failed < summary.seeds ? std::optional(summary.runs)
                                                         : std::nullopt);
  write_figure(json.key("energy_j"), known(summary, summary.energy_j));
  write_figure(json.key("time_s"), known(summary, summary.time_s));
  write_figure(json.key("cost"), known(summary, summary.cost));
  write_figure(json.key("regret"), summary.regret);
  write_figure(json.key("excess"), summary.excess);
  write_figure(json.key("energy_saving"), summary.energy_saving);
  write_figure(json.key("time_saving"), summary.time_saving);
  write_figure(json.key("cost_saving"), summary.cost_saving);
  json.key("oracle").open('{');
  write_knobs(json, *row.trace, summary.oracle);
  json.key("cost").number(summary.oracle_cost);
  json.close('}');
  json.key("best_share")
      .number(summary.failed < summary.seeds ? std::optional(summary.best_share) : std::nullopt);
  json.key("converged_after");
  summary.converged_after ? json.count(std::uint64_t{*summary.converged_after}) : json.null();
  if (report.curves) write_curve(json.key("curve"), summary.curve);
}

void write_row(JsonText& json, const ReplayStudyReport& report, const StudyRow& row) {
  json.open('{');
  json.key("gpu").text(row.gpu);
  json.key("dataset").text(row.dataset);
  write_policy(json, row.settings);
  if (row.trace != nullptr) write_job(json.key("job"), row.trace->job);
  if (const CaseSummary* summary = std::get_if<CaseSummary>(&row.result)) {
    write_summary(json, report, row, *summary);
  } else {
    json.key("failure").text(std::get<std::string>(row.result));
  }
  json.close('}');
}

auto write_row_of(const ReplayStudyReport& report) {
  return [&report](JsonText& json, const StudyRow& row) { write_row(json, report, row); };
}

void write_json(const ReplayStudyReport& report, const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  head.member("schema").text("scalelaw.replay-study/1");
  head.member("version").text(kVersion);
  std::vector<std::string> files{report.train};
  files.insert(files.end(), report.power.begin(), report.power.end());
  JsonText inputs = head.member("inputs");
  write_strings(inputs, files);
  head.member("random").text(name_of(report.random));
  JsonText seeds = head.member("seeds");
  seeds.open('[');
  for (const std::uint64_t seed : report.seeds) seeds.count(seed);
  seeds.close(']');
  head.member("confidence").number(report.confidence);
  JsonText warnings = head.member("warnings");
  write_strings(warnings, report.warnings);
  write_list(out, "cases", report.rows, write_row_of(report));
  out.text() += "}\n";
  out.pass_on();
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
  return std::any_of(report.rows.begin(), report.rows.end(), [&](const StudyRow& row) {
    return setting.text(row) != setting.text(report.rows.front());
  });
}

/// Mean and half the interval, as percentages.
std::string share_and_error(const OverSeeds& figure) {
  std::string mean = share_text(figure.mean);
  if (!figure.ci) return mean;
  mean.resize(mean.size() - 2);  // The unit comes behind the error.
  return fmt::format("{} ± {:.1f} %", mean, 50 * (figure.ci->upper - figure.ci->lower));
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
  return std::any_of(report.rows.begin(), report.rows.end(), [](const StudyRow& row) {
    const CaseSummary* summary = std::get_if<CaseSummary>(&row.result);
    return summary != nullptr && summary->failed > 0;
  });
}

std::string caption_of(const ReplayStudyReport& report) {
  std::string caption =
      fmt::format("replays of recurring jobs over {} seed{} ({} random numbers)",
                  report.seeds.size(), report.seeds.size() == 1 ? "" : "s", name_of(report.random));
  for (const SettingColumn& setting : kSettings) {
    if (report.rows.empty() || varies(report, setting)) continue;
    caption += fmt::format(", {} {}", setting.title, setting.text(report.rows.front()));
  }
  return caption;
}

std::vector<std::string> notes_of(const ReplayStudyReport& report) {
  std::vector<std::string> notes{
      fmt::format("saved: against b0 at the highest power limit, mean over seeds{}",
                  report.seeds.size() > 1
                      ? fmt::format(" ± half of its {:g} % interval", 100 * report.confidence)
                      : ""),
      "over oracle: cost above that of always running the best knobs, at whatever limit",
      "settled: recurrences after which 95 % of the choices are the best batch size"};
  if (any_seed_failed(report)) {
    notes.push_back("seeds: those that went through all recurrences; the others count nowhere");
  }
  for (const StudyRow& row : report.rows) {
    const std::string name = case_name(report, row);
    if (const std::string* reason = std::get_if<std::string>(&row.result)) {
      notes.push_back(fmt::format("no replay{}: {}", name.empty() ? "" : " of " + name, *reason));
    } else if (const auto& summary = std::get<CaseSummary>(row.result); summary.failed > 0) {
      notes.push_back(fmt::format("{}{} of {} seeds ended early: {}",
                                  name.empty() ? "" : name + ": ", summary.failed, summary.seeds,
                                  *summary.first_failure));
    }
  }
  return notes;
}

// Columns.

const CaseSummary* summary_of_row(const StudyRow& row) {
  return std::get_if<CaseSummary>(&row.result);
}

/// A member of what `whole`, a pointer or an optional, has; nothing where it has none.
template <class Whole, class Part, class Struct>
std::optional<Part> part_of(const Whole& whole, Part Struct::*member) {
  return whole ? std::optional<Part>((*whole).*member) : std::nullopt;
}

/// The summary of a row, unless every seed failed: then its means are none.
const CaseSummary* known_summary(const StudyRow& row) {
  const CaseSummary* const summary = summary_of_row(row);
  return summary != nullptr && summary->failed < summary->seeds ? summary : nullptr;
}

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
  const auto text = [](std::size_t i) { return kSettings[i].text; };
  sheet.add("gpu", text(0));
  sheet.add("dataset", text(1));
  sheet.add("policy", text(2));
  sheet.add("power_policy",
            [](const Row& row) { return name_of(row.settings.policy.power_limit); });
  sheet.add("fixed_limit_w", [](const Row& row) {
    const PolicySettings& policy = row.settings.policy;
    return policy.power_limit == PowerLimitRule::kFixed ? std::optional(policy.fixed_limit_w)
                                                        : std::nullopt;
  });
  sheet.for_people("limits", text(3));
  sheet.add("mode", text(4));
  sheet.add("eta", [](const Row& row) { return row.settings.policy.eta; }).seen_as(text(5)).left();
  sheet.add("beta", [](const Row& row) { return row.settings.beta; }).seen_as(text(6)).left();
  sheet.add("window", [](const Row& row) { return row.settings.policy.window; });
  const auto job = [](const Row& row, auto Job::*member) {
    return part_of(row.trace != nullptr ? &row.trace->job : nullptr, member);
  };
  sheet.add("b0", [job](const Row& row) { return job(row, &Job::default_batch_size); });
  sheet.add("target_metric", [job](const Row& row) { return job(row, &Job::target_metric); });
  sheet.add("random", [&report](const Row&) { return name_of(report.random); });
  sheet.add("confidence", [&report](const Row&) { return report.confidence; });
}

/// NAME, NAME_sd, NAME_lower and NAME_upper of a mean over seeds. `get(const StudyRow&)` returns a
/// std::optional<OverSeeds>; people see `text` of it.
template <class Get>
void add_figure(Sheet<StudyRow>& sheet, const std::string& name, Get get,
                std::string (*text)(const OverSeeds&)) {
  sheet.add(name, [get](const StudyRow& row) { return part_of(get(row), &OverSeeds::mean); })
      .seen_as([get, text](const StudyRow& row) {
        const std::optional<OverSeeds> figure = get(row);
        return figure ? text(*figure) : "-";
      });
  sheet.add(name + "_sd", [get](const StudyRow& row) {
    const std::optional<OverSeeds> figure = get(row);
    return figure ? figure->standard_deviation : std::nullopt;
  });
  const auto end = [&](const char* suffix, double Interval::*member) {
    sheet.add(name + suffix, [get, member](const StudyRow& row) {
      const std::optional<OverSeeds> figure = get(row);
      return figure ? part_of(figure->ci, member) : std::nullopt;
    });
  };
  end("_lower", &Interval::lower);
  end("_upper", &Interval::upper);
}

std::string mean_energy(const OverSeeds& figure) { return energy_text(figure.mean); }
std::string mean_time(const OverSeeds& figure) { return time_text(figure.mean); }

void add_figures(Sheet<StudyRow>& sheet) {
  const auto total = [&sheet](const char* name, OverSeeds CaseSummary::*member, auto text) {
    const auto get = [member](const StudyRow& row) { return part_of(known_summary(row), member); };
    add_figure(sheet, name, get, text);
  };
  total("energy_j", &CaseSummary::energy_j, mean_energy);
  total("time_s", &CaseSummary::time_s, mean_time);
  total("cost", &CaseSummary::cost, mean_energy);
  const auto relative = [&sheet](const char* name, std::optional<OverSeeds> CaseSummary::*member,
                                 auto text) {
    const auto get = [member](const StudyRow& row) {
      const CaseSummary* const summary = summary_of_row(row);
      return summary != nullptr ? summary->*member : std::nullopt;
    };
    add_figure(sheet, name, get, text);
  };
  relative("regret", &CaseSummary::regret, mean_energy);
  relative("excess", &CaseSummary::excess, share_and_error);
  relative("energy_saving", &CaseSummary::energy_saving, share_and_error);
  relative("time_saving", &CaseSummary::time_saving, share_and_error);
  relative("cost_saving", &CaseSummary::cost_saving, share_and_error);
}

void add_best_knobs(Sheet<StudyRow>& sheet) {
  sheet.add("oracle_batch_size",
            [](const StudyRow& row) { return part_of(best_size(row), &SizeTrace::batch_size); });
  sheet.add("oracle_power_limit", [](const StudyRow& row) {
    return best_size(row) != nullptr ? std::optional(best_limit(row)) : std::nullopt;
  });
  sheet.add("oracle_cost", [](const StudyRow& row) {
    const CaseSummary* const summary = summary_of_row(row);
    return summary != nullptr ? summary->oracle_cost : std::nullopt;
  });
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
  const auto count = [&sheet](const char* name, auto CaseSummary::*member) {
    sheet.add(name, [member](const StudyRow& row) { return part_of(summary_of_row(row), member); });
  };
  const auto mean = [&sheet](const char* name, double CaseSummary::*member) {
    sheet.add(name, [member](const StudyRow& row) { return part_of(known_summary(row), member); });
  };
  count("recurrences", &CaseSummary::recurrences);
  count("seeds", &CaseSummary::seeds);
  count("failed", &CaseSummary::failed);
  // The seeds that went through, which are all that the figures tell of.
  sheet
      .for_people("used_seeds",
                  [](const StudyRow& row) {
                    const CaseSummary* const summary = summary_of_row(row);
                    if (summary == nullptr) return std::string("-");
                    return fmt::format("{} of {}", summary->seeds - summary->failed,
                                       summary->seeds);
                  })
      .right();
  mean("runs", &CaseSummary::runs);
  add_figures(sheet);
  add_best_knobs(sheet);
  mean("best_share", &CaseSummary::best_share);
  sheet.add("converged_after", [](const StudyRow& row) {
    const CaseSummary* const summary = summary_of_row(row);
    return summary != nullptr ? summary->converged_after : std::nullopt;
  });
  sheet.add("failure", [](const StudyRow& row) {
    const CaseSummary* const summary = summary_of_row(row);
    return summary == nullptr ? std::get<std::string>(row.result)
                              : summary->first_failure.value_or("");
  });
}

Sheet<StudyRow> study_sheet(const ReplayStudyReport& report) {
  Sheet<StudyRow> sheet{std::vector<KeyColumn>()};
  add_settings(sheet, report);
  add_summary(sheet);
  for (const SettingColumn& setting : kSettings) {
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
  if (style.format == Format::kJson) return write_json(report, sink);
  if (style.format == Format::kJsonl) return write_lines(sink, report.rows, write_row_of(report));
  SheetWriter rows(study_sheet(report), style, sink);
  for (const StudyRow& row : report.rows) rows.add(row);
  rows.finish(caption_of(report), notes_of(report));
}

}  // namespace scalelaw
