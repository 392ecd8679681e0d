// Fits as a table for people, with what its notes mean below it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "render/fit_columns.hpp"
#include "render/fit_writers.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFailuresListed = 8;

/// A warning code in a study: what it means for the first group that has it, and how many have it.
struct WarningNote {
  std::string first_group;
  std::string sentence;
  std::size_t groups = 1;
};

const Parameter* parameter_of(const FitColumn& column, const GroupFit& group) {
  const Fit* fit = std::get_if<Fit>(&group.result);
  return fit != nullptr && column.index < fit->parameters.size() ? &fit->parameters[column.index]
                                                                 : nullptr;
}

bool is_prefactor(const Fit& fit, std::size_t parameter) {
  return fit.law->parameters()[parameter].transform == Transform::kExp;
}

/// The exponent with the decimals of its standard error, a prefactor with four digits: its unit is
/// arbitrary.
std::string estimate_text(const FitColumn& column, const GroupFit& group, double value) {
  const Parameter& parameter = *parameter_of(column, group);
  if (is_prefactor(std::get<Fit>(group.result), column.index)) {
    return with_significant_digits(value, 4);
  }
  return rounded(value, parameter.se).estimate;
}

std::string se_text(const FitColumn& column, const GroupFit& group, double value) {
  const Parameter& parameter = *parameter_of(column, group);
  if (is_prefactor(std::get<Fit>(group.result), column.index)) {
    return with_significant_digits(value, 2);
  }
  return rounded(parameter.estimate, value).se;
}

std::string number_text(const FitColumn& column, const GroupFit& group, double value) {
  switch (column.field) {
    case FitField::kEstimate:
      return estimate_text(column, group, value);
    case FitField::kCiLower:
    case FitField::kCiUpper:
      return rounded(value, parameter_of(column, group)->se).estimate;
    case FitField::kSe:
      return se_text(column, group, value);
    case FitField::kSlope:
      return rounded(value, std::get<Fit>(group.result).parameters.back().se).estimate;
    case FitField::kR2:
    case FitField::kR2Adjusted:
      return fmt::format("{:.4f}", value);
    case FitField::kP:
    case FitField::kFP:
    case FitField::kCurvatureP:
    case FitField::kLackOfFitP:
      return p_text(value);
    case FitField::kSigma:
      return with_significant_digits(value, 3);
    case FitField::kXMin:
    case FitField::kXMax:
      return scale_text(value);
    default:
      return with_significant_digits(value, 4);
  }
}

/// The text of a cell for people; "-" where a figure is undefined.
std::string cell_text(const FitColumn& column, const GroupFit& group, std::string& scratch) {
  const FitValue value = value_of(column, group, scratch);
  if (const double* number = std::get_if<double>(&value))
    return number_text(column, group, *number);
  if (const std::int64_t* count = std::get_if<std::int64_t>(&value)) return fmt::to_string(*count);
  if (const std::string_view* text = std::get_if<std::string_view>(&value))
    return std::string(*text);
  return is_numeric(column.field) ? "-" : "";
}

/// What `epochs_as_runs` says holds for every group alike: it is said of the study, not in each
/// row.
bool is_said_of_study(WarningCode code, const FitOptions& options) {
  return code == WarningCode::kEpochsAsRuns && options.epochs_as_runs;
}

/// The codes of one group, set apart by a comma and a blank, so that a line may break there.
std::string notes_text(const Fit& fit, const FitOptions& options) {
  std::string codes;
  for (const WarningCode code : fit.warnings) {
    if (is_said_of_study(code, options)) continue;
    if (!codes.empty()) codes += ", ";
    codes += name_of(code);
  }
  return codes;
}

std::vector<TableColumn> table_columns(const std::vector<FitColumn>& columns) {
  std::vector<TableColumn> table;
  table.reserve(columns.size());
  for (const FitColumn& column : columns) {
    table.push_back({.header = column.title.empty() ? column.name : column.title,
                     .align = is_numeric(column.field) ? Align::kRight : Align::kLeft,
                     .tone = column.field == FitField::kWarnings ? Tone::kWarning : Tone::kPlain});
  }
  return table;
}

/// How many groups share a note with the one that is named.
std::string others(std::size_t groups) {
  if (groups == 1) return "";
  return groups == 2 ? " and 1 other" : fmt::format(" and {} others", groups - 1);
}

class TableFitWriter final : public FitWriter {
 public:
  TableFitWriter(FitReport report, FitStyle style, TextSink sink)
      : report_(std::move(report)),
        style_(std::move(style)),
        columns_(choose_fit_columns(report_, style_)),
        table_(table_columns(columns_)),
        sink_(std::move(sink)),
        cells_(columns_.size()) {}

  void write(const GroupFit& group) override {
    if (const auto* failure = std::get_if<NoFit>(&group.result)) {
      note_failure(group.group, *failure);
      return;
    }
    const Fit& fit = std::get<Fit>(group.result);
    begin_part_if_new(group.group);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      cells_[i] = columns_[i].field == FitField::kWarnings
                      ? notes_text(fit, report_.options)
                      : cell_text(columns_[i], group, scratch_);
    }
    table_.add_row(cells_);
    note_warnings(group.group, fit);
    if (fit.surface) note_surface(group.group, fit);
  }

  void finish() override {
    write_noted_table(table_, caption(), note_lines(), style_.format, style_.colour, sink_);
  }

 private:
  /// With several group columns, the groups that share the first one stand together.
  void begin_part_if_new(const GroupKey& group) {
    if (group.size() < 2) return;
    if (group.front() != part_) table_.begin_part();
    part_ = group.front();
  }

  void note_warnings(const GroupKey& group, const Fit& fit) {
    for (const WarningCode code : fit.warnings) {
      if (is_said_of_study(code, report_.options)) continue;
      const auto found = warnings_.find(code);
      if (found != warnings_.end()) {
        ++found->second.groups;
      } else {
        warnings_.emplace(code, WarningNote{group_name(report_.by, group), explain(code, fit)});
      }
    }
  }

  /// Of the first groups: how sure the minimum is, and where the surface is least.
  void note_surface(const GroupKey& group, const Fit& fit) {
    if (surfaces_.size() >= kFailuresListed) return;
    const SurfaceFigures& surface = *fit.surface;
    std::string line =
        fmt::format("{}: {} of {} descents met in the minimum, {} {}",
                    group_name(report_.by, group), surface.met, surface.starts,
                    surface.huber_delta ? "sum of Huber losses" : "half the sum of squares",
                    with_significant_digits(surface.objective, 6));
    if (surface.split && report_.scales.size() == 2) {
      line += fmt::format("; least for a product c of both where");
      for (std::size_t k = 0; k < 2; ++k) {
        const Estimate& exponent = (*surface.split)[k];
        line += fmt::format("{} {} ~ c^{}", k > 0 ? "," : "", report_.scales[k],
                            rounded(exponent.estimate, exponent.se).estimate);
        if (exponent.ci) {
          line += fmt::format(" ({} .. {})", rounded(exponent.ci->lower, exponent.se).estimate,
                              rounded(exponent.ci->upper, exponent.se).estimate);
        }
      }
    }
    surfaces_.push_back(std::move(line));
  }

  void note_failure(const GroupKey& group, const NoFit& failure) {
    if (failures_.size() >= kFailuresListed) {
      ++more_failures_[failure.code];
      return;
    }
    failures_.push_back(fmt::format("no fit for {}: {} ({})", group_name(report_.by, group),
                                    failure.message, name_of(failure.code)));
  }

  std::vector<std::string> note_lines() const {
    std::vector<std::string> lines = surfaces_;
    for (const auto& [code, note] : warnings_) {
      lines.push_back(fmt::format("{} ({}{}): {}", name_of(code), note.first_group,
                                  others(note.groups), note.sentence));
    }
    lines.insert(lines.end(), failures_.begin(), failures_.end());
    for (const auto& [code, groups] : more_failures_) {
      lines.push_back(fmt::format("no fit for {} more groups ({}); --format csv lists them", groups,
                                  name_of(code)));
    }
    return lines;
  }

  std::string caption() const {
    const std::string_view formula = report_.options.law->formula(report_.options.response);
    std::string text = report_.scales.size() == 2
                           ? fmt::format("{}, N: {}, D: {}, L: {}", formula, report_.scales[0],
                                         report_.scales[1], report_.y)
                           : fmt::format("{}, x: {}, y: {}", formula, report_.x, report_.y);
    const BootstrapOptions& bootstrap = report_.options.bootstrap;
    if (bootstrap.resamples > 0) {
      text += fmt::format(", bootstrap: {}, B = {}, seed {}", name_of(bootstrap.kind),
                          bootstrap.resamples, bootstrap.seed);
    }
    return text;
  }

  FitReport report_;
  FitStyle style_;
  std::vector<FitColumn> columns_;
  TextTable table_;
  TextSink sink_;
  std::vector<std::string> cells_;
  std::string scratch_;
  std::string part_;
  std::map<WarningCode, WarningNote> warnings_;
  std::vector<std::string> surfaces_;
  std::vector<std::string> failures_;
  std::map<FailureCode, std::size_t> more_failures_;
};

}  // namespace

std::unique_ptr<FitWriter> make_table_fit_writer(FitReport report, FitStyle style, TextSink sink) {
  return std::make_unique<TableFitWriter>(std::move(report), std::move(style), std::move(sink));
}

}  // namespace scalelaw
