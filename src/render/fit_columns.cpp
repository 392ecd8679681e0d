#include "render/fit_columns.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

struct NamedField {
  std::string_view name;
  FitField field;
};

// In the order of the CSV. Parameters stand between the two lists.
constexpr auto kBeforeParameters = std::to_array<NamedField>({
    {"status", FitField::kStatus},
    {"law", FitField::kLaw},
    {"n", FitField::kN},
    {"distinct_x", FitField::kDistinctX},
    {"x_min", FitField::kXMin},
    {"x_max", FitField::kXMax},
    {"dof", FitField::kDof},
});
constexpr auto kAfterParameters = std::to_array<NamedField>({
    {"sigma", FitField::kSigma},
    {"r2", FitField::kR2},
    {"r2_adjusted", FitField::kR2Adjusted},
    {"f", FitField::kF},
    {"f_p", FitField::kFP},
    {"log_likelihood", FitField::kLogLikelihood},
    {"aic", FitField::kAic},
    {"aicc", FitField::kAicc},
    {"bic", FitField::kBic},
    {"rmse", FitField::kRmse},
    {"mape", FitField::kMape},
    {"smearing", FitField::kSmearing},
    {"speedup_observed", FitField::kSpeedupObserved},
    {"speedup_implied", FitField::kSpeedupImplied},
    {"curvature", FitField::kCurvature},
    {"curvature_t", FitField::kCurvatureT},
    {"curvature_p", FitField::kCurvatureP},
    {"lack_of_fit_f", FitField::kLackOfFitF},
    {"lack_of_fit_p", FitField::kLackOfFitP},
    {"cooks_distance_max", FitField::kCooksDistanceMax},
    {"warnings", FitField::kWarnings},
    {"code", FitField::kCode},
    {"message", FitField::kMessage},
});
constexpr auto kLogAlphaFields = std::to_array<NamedField>({
    {"log_alpha", FitField::kLogAlpha},
    {"log_alpha_se", FitField::kLogAlphaSe},
    {"log_alpha_ci_lower", FitField::kLogAlphaCiLower},
    {"log_alpha_ci_upper", FitField::kLogAlphaCiUpper},
});
constexpr auto kIntervalFields = std::to_array<NamedField>({
    {"", FitField::kEstimate},
    {"_se", FitField::kSe},
    {"_ci_lower", FitField::kCiLower},
    {"_ci_upper", FitField::kCiUpper},
});
constexpr auto kTestFields = std::to_array<NamedField>({
    {"_t", FitField::kT},
    {"_p", FitField::kP},
});
constexpr auto kRobustErrorFields = std::to_array<NamedField>({
    {"_classic_se", FitField::kClassicSe},
    {"_dof", FitField::kParameterDof},
});
constexpr auto kWaldFields = std::to_array<NamedField>({
    {"_wald_lower", FitField::kWaldLower},
    {"_wald_upper", FitField::kWaldUpper},
});
constexpr auto kBootstrapFields = std::to_array<NamedField>({
    {"_bootstrap_se", FitField::kBootstrapSe},
    {"_bootstrap_ci_lower", FitField::kBootstrapCiLower},
    {"_bootstrap_ci_upper", FitField::kBootstrapCiUpper},
    {"_bootstrap_bca_lower", FitField::kBootstrapBcaLower},
    {"_bootstrap_bca_upper", FitField::kBootstrapBcaUpper},
});
constexpr auto kSplitFields = std::to_array<NamedField>({
    {"", FitField::kSplit},
    {"_se", FitField::kSplitSe},
    {"_ci_lower", FitField::kSplitCiLower},
    {"_ci_upper", FitField::kSplitCiUpper},
});
constexpr auto kSplitBootstrapFields = std::to_array<NamedField>({
    {"_bootstrap_se", FitField::kSplitBootstrapSe},
    {"_bootstrap_ci_lower", FitField::kSplitBootstrapCiLower},
    {"_bootstrap_ci_upper", FitField::kSplitBootstrapCiUpper},
});
constexpr auto kSurfaceFields = std::to_array<NamedField>({
    {"objective", FitField::kObjective},
    {"huber_delta", FitField::kHuberDelta},
    {"starts", FitField::kStarts},
    {"met", FitField::kMet},
    {"gradient", FitField::kGradient},
});
// Not in the CSV unless asked for: the straight line in log-log, for those who compare.
constexpr auto kLineFields = std::to_array<NamedField>({
    {"slope", FitField::kSlope},
    {"slope_se", FitField::kSlopeSe},
    {"intercept", FitField::kIntercept},
    {"intercept_se", FitField::kInterceptSe},
});

void add_fields(std::vector<FitColumn>& columns, std::string_view prefix,
                std::span<const NamedField> fields, std::size_t index = 0) {
  for (const NamedField& named : fields) {
    columns.push_back({.name = fmt::format("{}{}", prefix, named.name),
                       .field = named.field,
                       .index = index,
                       .title = {}});
  }
}

/// The figures after the parameters. Where a law has a sigma of its own, that of the residuals is
/// told apart.
void add_figures(std::vector<FitColumn>& columns, const Law& law) {
  const std::size_t first = columns.size();
  add_fields(columns, "", kAfterParameters);
  for (const ParameterSpec& parameter : law.parameters()) {
    if (parameter.name == columns[first].name) columns[first].name = "residual_sigma";
  }
}

bool has_prefactor(const Law& law) {
  return law.inputs() == 1 && !law.parameters().empty() &&
         law.parameters().front().transform == Transform::kExp;
}

void add_parameter_columns(std::vector<FitColumn>& columns, const Law& law,
                           std::span<const NamedField> extra) {
  for (std::size_t i = 0; i < law.parameters().size(); ++i) {
    const ParameterSpec& parameter = law.parameters()[i];
    add_fields(columns, parameter.name, kIntervalFields, i);
    // That a prefactor is not zero needs no test.
    if (parameter.transform == Transform::kIdentity) {
      add_fields(columns, parameter.name, kTestFields, i);
    }
    add_fields(columns, parameter.name, extra, i);
  }
}

void add_covariance_columns(std::vector<FitColumn>& columns, std::size_t parameters) {
  for (std::size_t row = 0; row < parameters; ++row) {
    for (std::size_t column = row; column < parameters; ++column) {
      columns.push_back({.name = fmt::format("covariance_{}_{}", row + 1, column + 1),
                         .field = FitField::kCovariance,
                         .index = row * parameters + column,
                         .title = {}});
    }
  }
}

/// What a law of two x has besides.
void add_surface_columns(std::vector<FitColumn>& columns, const Law& law, bool resampled) {
  if (law.inputs() != 2) return;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = fmt::format("split_x{}", k + 1);
    add_fields(columns, name, kSplitFields, k);
    if (resampled) add_fields(columns, name, kSplitBootstrapFields, k);
  }
  add_fields(columns, "", kSurfaceFields);
  if (resampled) {
    columns.push_back(
        {.name = "usable_refits", .field = FitField::kUsableRefits, .index = 0, .title = {}});
  }
}

/// The columns of the CSV, without those of the group.
std::vector<FitColumn> scalar_columns(const FitOptions& options) {
  std::vector<FitColumn> columns;
  std::vector<NamedField> extra;
  const auto add_extra = [&extra](std::span<const NamedField> fields) {
    extra.insert(extra.end(), fields.begin(), fields.end());
  };
  if (options.se != StandardError::kClassic && options.law->inputs() == 1)
    add_extra(kRobustErrorFields);
  if (!options.law->linear() || options.errors == Errors::kNormal) add_extra(kWaldFields);
  if (options.bootstrap.resamples > 0) add_extra(kBootstrapFields);
  add_fields(columns, "", kBeforeParameters);
  add_parameter_columns(columns, *options.law, extra);
  if (has_prefactor(*options.law)) add_fields(columns, "", kLogAlphaFields);
  add_surface_columns(columns, *options.law, options.bootstrap.resamples > 0);
  add_covariance_columns(columns, options.law->parameters().size());
  add_figures(columns, *options.law);
  return columns;
}

/// Every column that --columns may name beside those of the group.
std::vector<FitColumn> selectable_columns(const FitReport& report, bool for_people) {
  const Law& law = *report.options.law;
  std::vector<FitColumn> columns;
  add_fields(columns, "", kBeforeParameters);
  add_parameter_columns(columns, law, kRobustErrorFields);
  for (std::size_t i = 0; i < law.parameters().size(); ++i) {
    add_fields(columns, law.parameters()[i].name, kWaldFields, i);
    add_fields(columns, law.parameters()[i].name, kBootstrapFields, i);
  }
  if (has_prefactor(law)) {
    add_fields(columns, "", kLogAlphaFields);
    if (law.linear()) add_fields(columns, "", kLineFields);
  }
  add_surface_columns(columns, law, true);
  add_covariance_columns(columns, law.parameters().size());
  add_figures(columns, law);
  if (!for_people) return columns;
  for (std::size_t i = 0; i < law.parameters().size(); ++i) {
    columns.push_back({.name = fmt::format("{}_ci", law.parameters()[i].name),
                       .field = FitField::kIntervalText,
                       .index = i,
                       .title = {}});
  }
  columns.push_back({.name = "x_range", .field = FitField::kXRangeText, .index = 0, .title = {}});
  return columns;
}

bool is_named(const std::vector<FitColumn>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [name](const FitColumn& column) { return column.name == name; });
}

/// The group's columns; one that bears the name of a figure of the fit is told apart by a prefix.
std::vector<FitColumn> group_columns(const FitReport& report) {
  const std::vector<FitColumn> figures = selectable_columns(report, true);
  std::vector<FitColumn> columns;
  for (std::size_t i = 0; i < report.by.size(); ++i) {
    const std::string& name = report.by[i];
    columns.push_back({.name = is_named(figures, name) ? "group_" + name : name,
                       .field = FitField::kGroup,
                       .index = i,
                       .title = {}});
  }
  return columns;
}

/// Of a law of two x: every parameter, with the intervals of E and the exponents.
std::vector<FitColumn> surface_columns_for_people(const FitReport& report) {
  std::vector<FitColumn> columns{{.name = "n", .field = FitField::kN, .index = 0, .title = "n"}};
  const auto parameters = report.options.law->parameters();
  const std::string level = fmt::format("{:.6g} % interval", 100 * report.options.confidence);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name(parameters[i].name);
    columns.push_back({.name = name, .field = FitField::kEstimate, .index = i, .title = {}});
    if (parameters[i].transform == Transform::kExp) continue;
    columns.push_back(
        {.name = name + "_ci", .field = FitField::kIntervalText, .index = i, .title = level});
    if (report.options.bootstrap.resamples == 0) continue;
    columns.push_back({.name = name + "_bootstrap_ci",
                       .field = FitField::kBootstrapIntervalText,
                       .index = i,
                       .title = "bootstrap"});
  }
  columns.push_back({.name = "sigma", .field = FitField::kSigma, .index = 0, .title = "sigma"});
  columns.push_back({.name = "notes", .field = FitField::kWarnings, .index = 0, .title = {}});
  return columns;
}

/// The few columns that a person wants to see first; every parameter, and the last one, the
/// exponent, with its error.
std::vector<FitColumn> columns_for_people(const FitReport& report) {
  if (report.options.law->inputs() == 2) return surface_columns_for_people(report);
  const auto parameters = report.options.law->parameters();
  std::vector<FitColumn> columns;
  columns.push_back({.name = "n", .field = FitField::kN, .index = 0, .title = "n"});
  columns.push_back(
      {.name = "x_range", .field = FitField::kXRangeText, .index = 0, .title = report.x});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    columns.push_back({.name = std::string(parameters[i].name),
                       .field = FitField::kEstimate,
                       .index = i,
                       .title = {}});
  }
  const std::size_t last = parameters.size() - 1;
  columns.push_back({.name = "se", .field = FitField::kSe, .index = last, .title = "± SE"});
  columns.push_back({.name = "ci",
                     .field = FitField::kIntervalText,
                     .index = last,
                     .title = fmt::format("{:.6g} % interval", 100 * report.options.confidence)});
  if (report.options.bootstrap.resamples > 0) {
    columns.push_back({.name = "bootstrap_ci",
                       .field = FitField::kBootstrapIntervalText,
                       .index = last,
                       .title = "bootstrap"});
  }
  columns.push_back({.name = "r2", .field = FitField::kR2, .index = 0, .title = "R2"});
  columns.push_back({.name = "sigma",
                     .field = FitField::kSigma,
                     .index = 0,
                     .title = report.options.law->name() == "usl" ? "residual" : "sigma"});
  columns.push_back({.name = "notes", .field = FitField::kWarnings, .index = 0, .title = {}});
  return columns;
}

[[noreturn]] void throw_unknown_column(const std::string& name,
                                       const std::vector<FitColumn>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const FitColumn& column : choices) names.push_back(column.name);
  const auto near = nearest(name, names);
  throw DataError(fmt::format("--columns: no column '{}'{}; columns are: {}", name,
                              near ? fmt::format(", did you mean '{}'?", *near) : "",
                              joined(names)));
}

FitColumn column_named(const std::string& name, const std::vector<FitColumn>& choices) {
  for (const FitColumn& column : choices) {
    if (column.name == name) return column;
  }
  throw_unknown_column(name, choices);
}

bool is_for_people(Format format) { return format != Format::kCsv && format != Format::kTsv; }

FitValue number(double value) {
  if (!std::isfinite(value)) return {};
  return value;
}

FitValue number(const std::optional<double>& value) { return value ? number(*value) : FitValue(); }

FitValue lower(const std::optional<Interval>& interval) {
  return interval ? number(interval->lower) : FitValue();
}

FitValue upper(const std::optional<Interval>& interval) {
  return interval ? number(interval->upper) : FitValue();
}

FitValue count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

FitValue warnings_text(const Fit& fit, std::string& scratch) {
  scratch.clear();
  for (const WarningCode code : fit.warnings) {
    if (!scratch.empty()) scratch += ';';
    scratch += name_of(code);
  }
  if (scratch.empty()) return {};
  return std::string_view(scratch);
}

FitValue interval_text(const std::optional<Interval>& interval, const std::optional<double>& se,
                       std::string& scratch) {
  if (!interval) return {};
  const auto end = [&se](double value) {
    return std::isfinite(value) ? rounded(value, se).estimate : std::string("open");
  };
  scratch = fmt::format("{} .. {}", end(interval->lower), end(interval->upper));
  return std::string_view(scratch);
}

FitValue x_range_text(const Fit& fit, std::string& scratch) {
  const auto text = [](double least, double greatest) {
    return fmt::format("{} .. {}", scale_text(least), scale_text(greatest));
  };
  if (fit.surface) {
    const auto& [first, second] = fit.surface->x_range;
    scratch = text(first.lower, first.upper) + " x " + text(second.lower, second.upper);
  } else {
    scratch = text(fit.x_min, fit.x_max);
  }
  return std::string_view(scratch);
}

/// The slope of ln y over ln x: beta counts "faster" upwards, so a time's line falls by it.
double slope_sign(const Fit& fit) { return fit.response == Response::kTime ? -1 : 1; }

FitValue bootstrap_value(FitField field, const Fit& fit, std::size_t index, std::string& scratch) {
  if (!fit.bootstrap || index >= fit.bootstrap->parameters.size()) return {};
  const BootstrapEstimate& estimate = fit.bootstrap->parameters[index];
  switch (field) {
    case FitField::kBootstrapSe:
      return number(estimate.se);
    case FitField::kBootstrapCiLower:
      return number(estimate.ci.lower);
    case FitField::kBootstrapCiUpper:
      return number(estimate.ci.upper);
    case FitField::kBootstrapBcaLower:
      return lower(estimate.ci_bca);
    case FitField::kBootstrapBcaUpper:
      return upper(estimate.ci_bca);
    case FitField::kBootstrapIntervalText:
      return interval_text(estimate.ci, estimate.se, scratch);
    default:
      return {};
  }
}

FitValue parameter_value(FitField field, const Parameter& parameter, std::string& scratch) {
  switch (field) {
    case FitField::kEstimate:
      return number(parameter.estimate);
    case FitField::kSe:
      return number(parameter.se);
    case FitField::kCiLower:
      return lower(parameter.ci);
    case FitField::kCiUpper:
      return upper(parameter.ci);
    case FitField::kT:
      return number(parameter.t);
    case FitField::kP:
      return number(parameter.p);
    case FitField::kClassicSe:
      return number(parameter.classic_se);
    case FitField::kWaldLower:
      return lower(parameter.wald_ci);
    case FitField::kWaldUpper:
      return upper(parameter.wald_ci);
    case FitField::kParameterDof:
      return number(parameter.dof);
    case FitField::kIntervalText:
      return interval_text(parameter.ci, parameter.se, scratch);
    default:
      return {};
  }
}

FitValue log_alpha_value(FitField field, const std::optional<Estimate>& log_alpha) {
  if (!log_alpha) return {};
  switch (field) {
    case FitField::kLogAlpha:
    case FitField::kIntercept:
      return number(log_alpha->estimate);
    case FitField::kLogAlphaSe:
    case FitField::kInterceptSe:
      return number(log_alpha->se);
    case FitField::kLogAlphaCiLower:
      return lower(log_alpha->ci);
    case FitField::kLogAlphaCiUpper:
      return upper(log_alpha->ci);
    default:
      return {};
  }
}

FitValue split_value(FitField field, const Estimate& split) {
  switch (field) {
    case FitField::kSplit:
      return number(split.estimate);
    case FitField::kSplitSe:
      return number(split.se);
    case FitField::kSplitCiLower:
      return lower(split.ci);
    default:
      return upper(split.ci);
  }
}

FitValue split_bootstrap_value(FitField field, const BootstrapEstimate& split) {
  switch (field) {
    case FitField::kSplitBootstrapSe:
      return number(split.se);
    case FitField::kSplitBootstrapCiLower:
      return number(split.ci.lower);
    default:
      return number(split.ci.upper);
  }
}

FitValue surface_value(const FitColumn& column, const SurfaceFigures& surface) {
  switch (column.field) {
    case FitField::kObjective:
      return number(surface.objective);
    case FitField::kHuberDelta:
      return number(surface.huber_delta);
    case FitField::kStarts:
      return count(surface.starts);
    case FitField::kMet:
      return count(surface.met);
    case FitField::kGradient:
      return number(surface.gradient);
    case FitField::kSplit:
    case FitField::kSplitSe:
    case FitField::kSplitCiLower:
    case FitField::kSplitCiUpper:
      return surface.split ? split_value(column.field, (*surface.split)[column.index]) : FitValue();
    default:
      return surface.split_bootstrap
                 ? split_bootstrap_value(column.field, (*surface.split_bootstrap)[column.index])
                 : FitValue();
  }
}

FitValue value_in_fit(const FitColumn& column, const Fit& fit, std::string& scratch) {
  switch (column.field) {
    case FitField::kEstimate:
    case FitField::kSe:
    case FitField::kCiLower:
    case FitField::kCiUpper:
    case FitField::kT:
    case FitField::kP:
    case FitField::kClassicSe:
    case FitField::kWaldLower:
    case FitField::kWaldUpper:
    case FitField::kParameterDof:
    case FitField::kIntervalText:
      return parameter_value(column.field, fit.parameters.at(column.index), scratch);
    case FitField::kBootstrapSe:
    case FitField::kBootstrapCiLower:
    case FitField::kBootstrapCiUpper:
    case FitField::kBootstrapBcaLower:
    case FitField::kBootstrapBcaUpper:
    case FitField::kBootstrapIntervalText:
      return bootstrap_value(column.field, fit, column.index, scratch);
    case FitField::kSplit:
    case FitField::kSplitSe:
    case FitField::kSplitCiLower:
    case FitField::kSplitCiUpper:
    case FitField::kSplitBootstrapSe:
    case FitField::kSplitBootstrapCiLower:
    case FitField::kSplitBootstrapCiUpper:
    case FitField::kObjective:
    case FitField::kHuberDelta:
    case FitField::kStarts:
    case FitField::kMet:
    case FitField::kGradient:
      return fit.surface ? surface_value(column, *fit.surface) : FitValue();
    case FitField::kUsableRefits:
      return fit.bootstrap && fit.bootstrap->usable ? count(*fit.bootstrap->usable) : FitValue();
    case FitField::kCovariance:
      return column.index < fit.covariance.size() ? number(fit.covariance[column.index])
                                                  : FitValue();
    case FitField::kLogAlpha:
    case FitField::kLogAlphaSe:
    case FitField::kLogAlphaCiLower:
    case FitField::kLogAlphaCiUpper:
    case FitField::kIntercept:
    case FitField::kInterceptSe:
      return log_alpha_value(column.field, fit.log_alpha);
    case FitField::kSlope:
      return number(slope_sign(fit) * fit.parameters.back().estimate);
    case FitField::kSlopeSe:
      return number(fit.parameters.back().se);
    case FitField::kXRangeText:
      return x_range_text(fit, scratch);
    case FitField::kStatus:
      return std::string_view("ok");
    case FitField::kLaw:
      return fit.law->name();
    case FitField::kN:
      return count(fit.n);
    case FitField::kDistinctX:
      return count(fit.distinct_x);
    case FitField::kXMin:
      return fit.surface ? FitValue() : number(fit.x_min);
    case FitField::kXMax:
      return fit.surface ? FitValue() : number(fit.x_max);
    case FitField::kDof:
      return fit.dof;
    case FitField::kSigma:
      return number(fit.sigma);
    case FitField::kR2:
      return number(fit.r2);
    case FitField::kR2Adjusted:
      return number(fit.r2_adjusted);
    case FitField::kF:
      return number(fit.f);
    case FitField::kFP:
      return number(fit.f_p);
    case FitField::kLogLikelihood:
      return number(fit.log_likelihood);
    case FitField::kAic:
      return number(fit.aic);
    case FitField::kAicc:
      return number(fit.aicc);
    case FitField::kBic:
      return number(fit.bic);
    case FitField::kRmse:
      return number(fit.rmse);
    case FitField::kMape:
      return number(fit.mape);
    case FitField::kSmearing:
      return number(fit.smearing);
    case FitField::kSpeedupObserved:
      return fit.speedup ? number(fit.speedup->observed) : FitValue();
    case FitField::kSpeedupImplied:
      return fit.speedup ? number(fit.speedup->implied) : FitValue();
    case FitField::kCurvature:
      return fit.curvature ? number(fit.curvature->estimate) : FitValue();
    case FitField::kCurvatureT:
      return fit.curvature ? number(fit.curvature->t) : FitValue();
    case FitField::kCurvatureP:
      return fit.curvature ? number(fit.curvature->p) : FitValue();
    case FitField::kLackOfFitF:
      return fit.lack_of_fit ? number(fit.lack_of_fit->f) : FitValue();
    case FitField::kLackOfFitP:
      return fit.lack_of_fit ? number(fit.lack_of_fit->p) : FitValue();
    case FitField::kCooksDistanceMax:
      return number(fit.cooks_distance_max);
    case FitField::kWarnings:
      return warnings_text(fit, scratch);
    case FitField::kGroup:
    case FitField::kCode:
    case FitField::kMessage:
      break;
  }
  return {};
}

FitValue value_without_fit(const FitColumn& column, const NoFit& failure) {
  switch (column.field) {
    case FitField::kStatus:
      return std::string_view("failed");
    case FitField::kCode:
      return name_of(failure.code);
    case FitField::kMessage:
      return std::string_view(failure.message);
    default:
      return {};
  }
}

}  // namespace

FitValue value_of(const FitColumn& column, const GroupFit& group, std::string& scratch) {
  if (column.field == FitField::kGroup) return std::string_view(group.group.at(column.index));
  if (const Fit* fit = std::get_if<Fit>(&group.result)) return value_in_fit(column, *fit, scratch);
  return value_without_fit(column, std::get<NoFit>(group.result));
}

std::vector<FitColumn> choose_fit_columns(const FitReport& report, const FitStyle& style) {
  const bool for_people = is_for_people(style.format);
  std::vector<FitColumn> columns = group_columns(report);
  if (style.columns.empty()) {
    const auto rest = for_people ? columns_for_people(report) : scalar_columns(report.options);
    columns.insert(columns.end(), rest.begin(), rest.end());
    return columns;
  }
  const auto figures = selectable_columns(report, for_people);
  columns.insert(columns.end(), figures.begin(), figures.end());
  std::vector<FitColumn> chosen;
  for (const std::string& name : style.columns) chosen.push_back(column_named(name, columns));
  return chosen;
}

Figures figures_of(FitField field) {
  const bool of_outcome = field == FitField::kCode || field == FitField::kMessage;
  if (field <= FitField::kR2Adjusted || of_outcome) return Figures::kEstimates;
  return field <= FitField::kSpeedupImplied ? Figures::kCurve : Figures::kAll;
}

bool is_numeric(FitField field) {
  switch (field) {
    case FitField::kGroup:
    case FitField::kStatus:
    case FitField::kLaw:
    case FitField::kWarnings:
    case FitField::kCode:
    case FitField::kMessage:
      return false;
    default:
      return true;
  }
}

}  // namespace scalelaw
