#include "scalelaw/documents/read_fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "scalelaw.fit/1";

/// A value of the document and its place, for messages such as "fits[3].parameters.beta.se".
class Member {
 public:
  Member(const Json& value, std::string place, const std::string& source)
      : value_(value), place_(std::move(place)), source_(source) {}

  Member operator[](const std::string& name) const {
    if (!value_.is_object() || !value_.contains(name)) fail(fmt::format("lacks '{}'", name));
    return {value_.at(name), place_.empty() ? name : place_ + "." + name, source_};
  }
  bool has(const std::string& name) const { return value_.is_object() && value_.contains(name); }
  bool is_null() const { return value_.is_null(); }

  std::vector<Member> items() const {
    if (!value_.is_array()) fail("is no list");
    std::vector<Member> out;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      out.emplace_back(value_.at(i), fmt::format("{}[{}]", place_, i), source_);
    }
    return out;
  }
  double number() const {
    if (!value_.is_number()) fail("is no number");
    return value_.get<double>();
  }
  std::optional<double> optional_number() const {
    return is_null() ? std::nullopt : std::optional(number());
  }
  std::uint64_t count() const {
    if (!value_.is_number_unsigned()) fail("is no count");
    return value_.get<std::uint64_t>();
  }
  std::string text() const {
    if (!value_.is_string()) fail("is no text");
    return value_.get<std::string>();
  }
  /// The enumerator that the member names. `problem` is said of other names.
  template <class Enum>
  Enum one_of(const std::string& problem = {}) const {
    const std::string name = text();
    for (const Enum value : all_enumerators<Enum>()) {
      if (name_of(value) == name) return value;
    }
    if (!problem.empty()) fail(problem);
    fail(fmt::format("is '{}', which this version does not know", name));
  }
  /// The law that the member names.
  const Law* law() const {
    const Law* const law = find_law(text());
    if (law == nullptr) fail("is no law that this version knows");
    return law;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: {} {}", input_name(source_),
                                place_.empty() ? "the document" : "'" + place_ + "'", what));
  }

 private:
  const Json& value_;
  std::string place_;
  const std::string& source_;
};

/// [lower, upper], where null is an open end.
std::optional<Interval> interval_in(const Member& member) {
  if (member.is_null()) return std::nullopt;
  const auto ends = member.items();
  if (ends.size() != 2) member.fail("is no pair of ends");
  return Interval{ends[0].optional_number().value_or(-kInfinity),
                  ends[1].optional_number().value_or(kInfinity)};
}

void read_estimate(const Member& member, Estimate& out) {
  out.estimate = member["estimate"].number();
  out.se = member["se"].optional_number();
  if (out.se && !(*out.se >= 0)) member["se"].fail("is negative");
  out.ci = interval_in(member["ci"]);
  if (member.has("wald_ci")) out.wald_ci = interval_in(member["wald_ci"]);
  if (member.has("t")) out.t = member["t"].optional_number();
  if (member.has("p")) out.p = member["p"].optional_number();
  if (member.has("classic_se")) out.classic_se = member["classic_se"].optional_number();
  if (member.has("dof")) out.dof = member["dof"].optional_number();
}

/// The law's own name of the parameter.
std::string_view other_parameter(const Member& member, const Law& law) {
  const std::string name = member.text();
  for (const ParameterSpec& spec : law.parameters()) {
    if (spec.name == name) return spec.name;
  }
  member.fail("is no parameter of the law");
}

void read_parameters(const Member& member, Fit& fit) {
  for (const ParameterSpec& spec : fit.law->parameters()) {
    const Member estimate = member[std::string(spec.name)];
    Parameter& parameter = fit.parameters.emplace_back();
    parameter.name = spec.name;
    read_estimate(estimate, parameter);
    parameter.on_bound = estimate.has("on_bound");
    parameter.fixed = estimate.has("fixed");
    parameter.shared = estimate.has("shared");
    if (estimate.has("tied_to")) parameter.tied_to = other_parameter(estimate["tied_to"], *fit.law);
    if (spec.transform == Transform::kExp && !(parameter.estimate > 0)) {
      estimate["estimate"].fail("is not positive");
    }
  }
}

void read_covariance(const Member& member, Fit& fit) {
  if (member.is_null()) return;
  const auto rows = member.items();
  if (rows.size() != fit.parameters.size()) member.fail("has not a row for each parameter");
  for (const Member& row : rows) {
    const auto entries = row.items();
    if (entries.size() != rows.size()) row.fail("has not an entry for each parameter");
    for (const Member& entry : entries) fit.covariance.push_back(entry.number());
  }
}

void read_bound_curves(const Member& member, Fit& fit) {
  for (const Member& place : member.items()) {
    const BoundCurve at{place["x"].number(), place["lower"].number(), place["upper"].number()};
    const double last = fit.bound_curves.empty() ? 0 : fit.bound_curves.back().x;
    if (!(at.x > last)) place["x"].fail("does not rise");
    if (!(at.lower > 0)) place["lower"].fail("is not positive");
    if (!(at.upper >= at.lower)) place["upper"].fail("is below 'lower'");
    fit.bound_curves.push_back(at);
  }
}

void read_bootstrap(const Member& member, Fit& fit) {
  Bootstrap bootstrap{.kind = member["kind"].one_of<BootstrapKind>(),
                      .resamples = static_cast<std::uint32_t>(member["b"].count()),
                      .seed = member["seed"].count(),
                      .parameters = {}};
  if (member.has("usable")) {
    bootstrap.usable = static_cast<std::uint32_t>(member["usable"].count());
  }
  for (const Parameter& parameter : fit.parameters) {
    const Member estimate = member[std::string(parameter.name)];
    if (parameter.fixed && estimate.is_null()) {
      bootstrap.parameters.push_back({0, {parameter.estimate, parameter.estimate}});
      continue;
    }
    if (bootstrap.usable && estimate.is_null()) continue;
    const auto ci = interval_in(estimate["ci"]);
    if (!ci) estimate["ci"].fail("is null");
    bootstrap.parameters.push_back({estimate["se"].number(), *ci, interval_in(estimate["ci_bca"])});
  }
  fit.bootstrap = std::move(bootstrap);
}

/// Reads scalars that may be undefined, by their names.
void read_figures(const Member& member, Fit& fit) {
  for (const FitFigure& figure : kFitFigures) {
    fit.*figure.member = member[figure.name].optional_number();
  }
  fit.cooks_distance_max = member["cooks_distance_max"].optional_number();
  fit.scatter_trend_p = member["scatter_trend_p"].optional_number();
  // Documents of earlier versions lack these.
  if (member.has("cooks_distance_p")) {
    fit.cooks_distance_p = member["cooks_distance_p"].optional_number();
  }
  if (member.has("clusters")) fit.clusters = member["clusters"].count();
  if (member.has("own_sigma")) fit.own = OwnFigures{.sigma = member["own_sigma"].optional_number()};
  if (member.has("outlier") && !member["outlier"].is_null()) {
    const Member outlier = member["outlier"];
    fit.outlier = Outlier{outlier["x"].number(), outlier["y"].number(), outlier["t"].number(),
                          outlier["p"].number()};
  }
  if (const Member speedup = member["speedup"]; !speedup.is_null()) {
    fit.speedup = Speedup{speedup["observed"].number(), speedup["implied"].number()};
  }
  if (const Member curvature = member["curvature"]; !curvature.is_null()) {
    fit.curvature = Curvature{curvature["estimate"].number(), curvature["t"].optional_number(),
                              curvature["p"].optional_number()};
  }
  if (member.has("free_law")) {
    const Member test = member["free_law"];
    fit.free_law = FreeLawTest{test["f"].number(), test["df1"].number(), test["df2"].number(),
                               test["p"].number(), test["aicc_difference"].optional_number()};
  }
  if (const Member lack = member["lack_of_fit"]; !lack.is_null()) {
    fit.lack_of_fit = LackOfFit{lack["f"].number(), lack["p"].number()};
  }
}

/// What the groups share; null for fits that were made alone.
std::shared_ptr<const Pooling> pooling_in(const Member& document) {
  if (!document.has("pooled")) return nullptr;
  if (document["pool"].one_of<Pool>() == Pool::kSlopes) {
    document["pool"].fail(
        "is 'slopes': exponents that were pooled in this way are for reading, not for forecasts or "
        "gates; save fits with --pool scatter or without it");
  }
  const Member member = document["pooled"];
  Pooling pooling{.groups = member["groups"].count(),
                  .sigma = member["sigma"].number(),
                  .dof = member["dof"].number(),
                  .least_sigma = member["least_sigma"].number(),
                  .greatest_sigma = member["greatest_sigma"].number()};
  if (!(pooling.dof > 0)) member["dof"].fail("is not positive");
  if (const Member test = member["bartlett"]; !test.is_null()) {
    pooling.equal_scatter = EqualScatter{test["statistic"].optional_number().value_or(kInfinity),
                                         test["dof"].number(), test["p"].number()};
  }
  return std::make_shared<const Pooling>(pooling);
}

SurfaceFigures surface_in(const Member& member, std::size_t scales) {
  const auto range = [](const Member& ends) {
    const auto interval = interval_in(ends);
    if (!interval || !(interval->lower > 0 && interval->lower < interval->upper)) {
      ends.fail("is no range of positive numbers");
    }
    return *interval;
  };
  const auto ranges = member["x_range"].items();
  if (ranges.size() != scales) member["x_range"].fail("has not a range for each scale");
  std::vector<Interval> x_range;
  for (const Member& ends : ranges) x_range.push_back(range(ends));
  SurfaceFigures surface{.x_range = std::move(x_range),
                         .objective = member["objective"].number(),
                         .huber_delta = member["huber_delta"].optional_number(),
                         .starts = static_cast<std::uint32_t>(member["starts"].count()),
                         .met = static_cast<std::uint32_t>(member["met"].count()),
                         .gradient = member["gradient"].number(),
                         .split = {},
                         .split_bootstrap = {}};
  if (member["split"].is_null()) return surface;
  const auto split = member["split"].items();
  if (split.size() != 2) member["split"].fail("has not an exponent for each scale");
  surface.split.emplace();
  for (std::size_t k = 0; k < 2; ++k) read_estimate(split[k], (*surface.split)[k]);
  if (!split[0].has("bootstrap") || !split[1].has("bootstrap")) return surface;
  const auto resampled = [](const Member& bootstrap) {
    const auto ci = interval_in(bootstrap["ci"]);
    if (!ci) bootstrap["ci"].fail("is null");
    return BootstrapEstimate{.se = bootstrap["se"].number(), .ci = *ci, .ci_bca = {}};
  };
  surface.split_bootstrap = {resampled(split[0]["bootstrap"]), resampled(split[1]["bootstrap"])};
  return surface;
}

Fit read_fit(const Member& member, const SavedFits& study) {
  Fit fit;
  fit.law = member["law"].law();
  if (fit.law->inputs() != study.law->inputs()) {
    member["law"].fail("takes another number of x than the law of the document");
  }
  fit.scale = study.errors == Errors::kNormal ? Scale::kOriginal : fit.law->scale();
  fit.response = study.response;
  fit.rate_of_one = study.rate_of_one;
  fit.confidence = study.confidence;
  fit.n = member["n"].count();
  fit.distinct_x = member["distinct_x"].count();
  if (const std::size_t scales = fit.law->inputs(); scales > 1) {
    fit.surface = std::make_shared<const SurfaceFigures>(surface_in(member["surface"], scales));
  } else {
    fit.x_min = member["x_min"].number();
    fit.x_max = member["x_max"].number();
  }
  fit.dof = static_cast<std::int64_t>(member["dof"].number());
  if (fit.surface && fit.dof < 1) member["dof"].fail("is below 1");
  fit.rss = member["rss"].number();
  fit.pooling = study.pooling;
  read_parameters(member["parameters"], fit);
  if (member.has("log_alpha")) read_estimate(member["log_alpha"], fit.log_alpha.emplace());
  read_covariance(member["covariance"], fit);
  if (member.has("bound_curves")) read_bound_curves(member["bound_curves"], fit);
  read_figures(member, fit);
  if (member.has("bootstrap")) read_bootstrap(member["bootstrap"], fit);
  for (const Member& warning : member["warnings"].items()) {
    fit.warnings.push_back(warning["code"].one_of<WarningCode>());
  }
  return fit;
}

NoFit read_failure(const Member& member) {
  return {member["code"].one_of<FailureCode>(), member["message"].text()};
}

GroupKey read_group(const Member& member, const std::vector<std::string>& by) {
  GroupKey key;
  for (const std::string& column : by) key.push_back(member[column].text());
  return key;
}

/// The column that a member names; empty if it is null.
std::string column_in(const Member& member) { return member.is_null() ? "" : member.text(); }

/// Reads what the points were and how their errors were computed.
void read_method(const Member& document, SavedFits& study) {
  study.se = document["se"].one_of<StandardError>();
  study.robust = document["robust"].one_of<Robust>();
  study.pooling = pooling_in(document);
  if (study.pooling) study.pool = study.pooling->kind;
  if (document.has("over_penalty")) study.over_penalty = document["over_penalty"].number();
  study.points = document["points"].one_of<Points>("is not each, mean or median");
  study.run = column_in(document["run"]);
  study.weights = column_in(document["weights"]);
}

/// What y is about: as its name says, unless the fits were made with something else told.
Quantity read_quantity(const Member& document, const SavedFits& study) {
  Quantity quantity = quantity_of(study.y, study.y_unit, study.x);
  if (!document.has("quantity")) return quantity;
  const Member saved = document["quantity"];
  ToldQuantity told;
  const Kind kind = saved["kind"].one_of<Kind>();
  if (kind != Kind::kOther) told.kind = kind;
  if (saved.has("whose")) quantity.whose = saved["whose"].one_of<Owner>();
  return quantity_as_told(std::move(quantity), told, study.y);
}

SavedFits read_study(const Member& document, const std::string& path) {
  const std::string schema = document["schema"].text();
  if (schema != kSchema) {
    document["schema"].fail(fmt::format(
        "is '{}'; expected '{}', as scalelaw fit --format json writes", schema, kSchema));
  }
  SavedFits study;
  study.source = path;
  study.x = document["x"].text();
  study.y = document["y"].text();
  if (document.has("scales")) {
    for (const Member& column : document["scales"].items()) study.scales.push_back(column.text());
    const Member factor = document["flops_per_parameter_token"];
    study.flops_per_parameter_token = factor.number();
    if (!(study.flops_per_parameter_token > 0)) factor.fail("is not positive");
  }
  if (document.has("y_unit")) study.y_unit = document["y_unit"].text();
  if (document.has("growing_work")) study.growing_work = document["growing_work"].text();
  for (const Member& column : document["by"].items()) study.by.push_back(column.text());
  study.law = document["law"].law();
  if (study.law->inputs() > 1 && study.scales.size() != study.law->inputs()) {
    document["law"].fail("takes several x, and 'scales' does not name them");
  }
  study.response = document["response"].one_of<Response>("is not time or rate");
  study.quantity = read_quantity(document, study);
  study.rate_of_one = study.response == Response::kRate && study.quantity.is_of_one();
  study.errors = document["errors"].one_of<Errors>("is not lognormal or normal");
  read_method(document, study);
  study.confidence = document["confidence"].number();
  if (!(study.confidence > 0 && study.confidence < 1)) {
    document["confidence"].fail("is not between 0 and 1");
  }
  return study;
}

Json parsed(const std::string& text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t byte = std::min(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    throw ParseError(input_name(path), static_cast<std::uint64_t>(line),
                     fmt::format("no JSON: {}", error.what()));
  } catch (const Json::out_of_range& error) {  // A number beyond the range of double.
    throw DataError(fmt::format("{}: no JSON: {}", input_name(path), error.what()));
  }
}

}  // namespace

bool holds_saved_fits(const std::string& path) {
  if (!is_regular_file(path) && !input_label(path)) return false;
  const InputFile file(path);
  const auto stream = open_stream(file);
  // The schema stands first, but other programs sort the members. A table of JSON has none.
  constexpr std::size_t kSeen = 1 << 20;
  std::string begin;
  read_to(256, *stream, begin);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || begin[first] != '{') return false;
  read_to(kSeen, *stream, begin);
  return input_label(path) || begin.find("\"scalelaw.") != std::string::npos;
}

std::string document_at(const std::string& path) {
  const InputFile file(path);
  std::string document;
  read_to(document.max_size(), *open_stream(file), document);
  return document;
}

SavedFits read_fits(const std::string& path) { return parse_fits(document_at(path), path); }

SavedFits parse_fits(const std::string& text, const std::string& path) {
  const Json value = parsed(text, path);
  const Member document(value, "", path);
  SavedFits study = read_study(document, path);
  for (const Member& fit : document["fits"].items()) {
    study.groups.push_back({read_group(fit["group"], study.by), read_fit(fit, study)});
  }
  for (const Member& failure : document["failed"].items()) {
    study.groups.push_back({read_group(failure["group"], study.by), read_failure(failure)});
  }
  return study;
}

std::string unit_of(const SavedFits& fits) {
  return fits.y_unit.empty() ? std::string(column_label(fits.y).unit) : fits.y_unit;
}

StudyReport report_on(const SavedFits& saved) {
  StudyReport report = saved;
  report.inputs = {saved.source};
  report.y_unit = unit_of(saved);
  return report;
}

}  // namespace scalelaw
