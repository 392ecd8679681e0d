// Fits in every format. Programs get one row per group with every digit of every number; people see
// the parameters with their errors, and below them what the notes mean.

#include "scalelaw/render/fit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/fit_sentence.hpp"
#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/constraints.hpp"
#include "scalelaw/fit/shared.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kMostSurfacesExplained = 8;

// Parts that a fit may lack.

/// A function that returns a pointer to the part, or null.
auto part_at(auto Fit::*part) {
  return [part](const Fit& fit) { return fit.*part ? &*(fit.*part) : nullptr; };
}

auto parameter_at(std::size_t i) {
  return [i](const Fit& fit) -> const Estimate* { return &fit.parameters.at(i); };
}

auto bootstrap_at(std::size_t i) {
  return [i](const Fit& fit) -> const BootstrapEstimate* {
    const bool has_it =
        fit.bootstrap && i < fit.bootstrap->parameters.size() && !fit.parameters[i].fixed;
    return has_it ? &fit.bootstrap->parameters[i] : nullptr;
  };
}

template <class Part>
auto split_at(std::size_t k, std::optional<std::array<Part, 2>> SurfaceFigures::*split) {
  return [k, split](const Fit& fit) -> const Part* {
    return fit.surface && (*fit.surface).*split ? &(*((*fit.surface).*split))[k] : nullptr;
  };
}

// Columns.

/// Adds columns that CSV has only where `is_usual`, or where --columns names them.
void add_extra(Sheet<Fit>& sheet, bool is_usual, const auto& add) {
  const std::size_t first = sheet.size();
  add();
  if (!is_usual) sheet.keep_for_request(first);
}

/// Adds the columns of an estimate. People see four digits of it.
template <class Get>
void add_plain_estimate(Sheet<Fit>& sheet, const std::string& name, Get get) {
  const auto estimate = sheet.part(get);
  estimate.add(name, &Estimate::estimate);
  estimate.add(name + "_se", &Estimate::se);
  estimate.interval(name + "_ci", &Estimate::ci);
}

template <class Get>
void add_bootstrap(Sheet<Fit>& sheet, const std::string& name, Get get) {
  const auto estimate = sheet.part(get);
  estimate.add(name + "_bootstrap_se", &BootstrapEstimate::se);
  const auto ends = [](const BootstrapEstimate& one) { return interval_text(one.ci, one.se); };
  estimate.interval(name + "_bootstrap_ci", &BootstrapEstimate::ci).seen_as(estimate.seen(ends));
}

/// Adds a parameter. People see four digits of a prefactor, because its unit is arbitrary. Other
/// parameters have as many decimals as their standard errors.
void add_parameter(Sheet<Fit>& sheet, const FitOptions& options, std::size_t i) {
  const Law& law = *options.law;
  const std::string name(law.parameters()[i].name);
  const auto get = parameter_at(i);
  const auto parameter = sheet.part(get);
  sheet.estimate(name, get);
  if (law.parameters()[i].transform == Transform::kExp) {
    const auto seen_with = [get](auto part, int digits) {
      return [=](const Fit& fit) { return shown_text(get(fit)->*part, significant(digits)); };
    };
    sheet.named(name).seen_as(seen_with(&Estimate::estimate, 4));
    sheet.named(name + "_se").seen_as(seen_with(&Estimate::se, 2));
  } else {  // That a prefactor is not zero needs no test.
    parameter.add(name + "_t", &Estimate::t);
    parameter.add(name + "_p", &Estimate::p).as(p_value());
  }
  add_extra(sheet, options.se != StandardError::kClassic && law.inputs() == 1, [&] {
    parameter.add(name + "_classic_se", &Estimate::classic_se);
    parameter.add(name + "_dof", &Estimate::dof);
  });
  add_extra(sheet, !law.linear() || options.errors == Errors::kNormal,
            [&] { parameter.interval(name + "_wald", &Estimate::wald_ci); });
  add_extra(sheet, options.bootstrap.resamples > 0, [&] {
    add_bootstrap(sheet, name, bootstrap_at(i));
    sheet.part(bootstrap_at(i)).interval(name + "_bootstrap_bca", &BootstrapEstimate::ci_bca);
  });
}

/// The slope of ln y over ln x. It is -beta for a time, because beta > 0 means faster.
double slope(const Fit& fit) {
  const double exponent = fit.parameters.back().estimate;
  return fit.response == Response::kTime ? -exponent : exponent;
}

/// Adds the line in log-log: its slope and the logarithm of the prefactor.
void add_line(Sheet<Fit>& sheet, const Law& law) {
  if (law.inputs() != 1 || law.parameters().empty()) return;
  if (law.parameters().front().transform != Transform::kExp) return;
  add_plain_estimate(sheet, "log_alpha", part_at(&Fit::log_alpha));
  if (!law.linear()) return;
  add_extra(sheet, false, [&] {
    sheet.add("slope", slope).seen_as([](const Fit& fit) {
      return rounded(slope(fit), fit.parameters.back().se).estimate;
    });
    sheet.add("slope_se", [](const Fit& fit) { return fit.parameters.back().se; });
    const auto log_alpha = sheet.part(part_at(&Fit::log_alpha));
    log_alpha.add("intercept", &Estimate::estimate);
    log_alpha.add("intercept_se", &Estimate::se);
  });
}

/// Adds what a fit shares with other groups.
void add_pooling(Sheet<Fit>& sheet, const FitOptions& options) {
  add_extra(sheet, options.pool != Pool::kNone, [&] {
    const auto shared = sheet.part([](const Fit& fit) { return fit.pooling.get(); });
    shared.add("pool", &Pooling::kind);
    const auto own = sheet.part(part_at(&Fit::own));
    own.add("own_sigma", &OwnFigures::sigma).as(significant(3));
    shared.add("sigma_dof", &Pooling::dof);
  });
  add_extra(sheet, options.pool == Pool::kSlopes, [&] {
    const auto own = sheet.part(part_at(&Fit::own));
    own.add("own_beta", &OwnFigures::beta).as(decimals(3));
    own.add("own_share", &OwnFigures::share).as(percent(0));
    own.add("own_beta_p", &OwnFigures::beta_p).as(p_value());
  });
}

/// Adds the columns that only laws of several x have.
void add_surface(Sheet<Fit>& sheet, const FitOptions& options) {
  if (options.law->inputs() == 1) return;
  const bool is_resampled = options.bootstrap.resamples > 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = fmt::format("split_x{}", k + 1);
    add_plain_estimate(sheet, name, split_at(k, &SurfaceFigures::split));
    add_extra(sheet, is_resampled,
              [&] { add_bootstrap(sheet, name, split_at(k, &SurfaceFigures::split_bootstrap)); });
  }
  const auto surface = sheet.part(part_at(&Fit::surface));
  surface.add("objective", &SurfaceFigures::objective);
  surface.add("huber_delta", &SurfaceFigures::huber_delta);
  surface.add("starts", &SurfaceFigures::starts);
  surface.add("met", &SurfaceFigures::met);
  surface.add("gradient", &SurfaceFigures::gradient);
  add_extra(sheet, is_resampled,
            [&] { sheet.part(part_at(&Fit::bootstrap)).add("usable_refits", &Bootstrap::usable); });
}

void add_covariance(Sheet<Fit>& sheet, std::size_t parameters) {
  for (std::size_t row = 0; row < parameters; ++row) {
    for (std::size_t column = row; column < parameters; ++column) {
      const std::size_t place = row * parameters + column;
      sheet.add(fmt::format("covariance_{}_{}", row + 1, column + 1), [place](const Fit& fit) {
        return place < fit.covariance.size() ? std::optional(fit.covariance[place]) : std::nullopt;
      });
    }
  }
}

std::string x_range_text(const Fit& fit) {
  const auto text = [](const Interval& range) { return interval_text(range, scale_value()); };
  if (!fit.surface) return text({fit.x_min, fit.x_max});
  return joined_texts(fit.surface->x_range, " x ", text);
}

/// Adds what people ask first: by how much y changes at twice the scale.
void add_doubling(Sheet<Fit>& sheet) {
  sheet
      .for_people("doubling",
                  [](const Fit& fit) {
                    const auto doubling = doubling_of(fit);
                    return doubling ? shown_text(doubling->ratio - 1, signed_percent(1)) : "-";
                  })
      .right();
}

void add_points(Sheet<Fit>& sheet) {
  const auto end_of = [](double Fit::*end) {
    return [end](const Fit& fit) { return fit.surface ? std::nullopt : std::optional(fit.*end); };
  };
  sheet.add_status();
  sheet.add("law", [](const Fit& fit) { return fit.law->name(); });
  sheet.add("n", &Fit::n);
  sheet.add("distinct_x", &Fit::distinct_x);
  sheet.add("x_min", end_of(&Fit::x_min)).as(scale_value());
  sheet.add("x_max", end_of(&Fit::x_max)).as(scale_value());
  sheet.for_people("x_range", x_range_text).right();
  sheet.add("dof", &Fit::dof);
}

/// The name of the residuals' sigma, which differs if the law has a parameter called sigma.
std::string sigma_of(const Law& law) {
  for (const ParameterSpec& parameter : law.parameters()) {
    if (parameter.name == "sigma") return "residual_sigma";
  }
  return "sigma";
}

void add_figures(Sheet<Fit>& sheet, const Law& law) {
  for (const FitFigure& figure : kFitFigures) {
    const bool is_sigma = figure.member == &Fit::sigma;
    sheet.add(is_sigma ? sigma_of(law) : figure.name, figure.member).needs(figure.needs);
  }
  sheet.named(sigma_of(law)).as(significant(3));
  sheet.named("r2").as(decimals(4));
  sheet.named("r2_adjusted").as(decimals(4));
  sheet.named("f_p").as(p_value());
  const auto speedup = sheet.part(part_at(&Fit::speedup));
  speedup.add("speedup_observed", &Speedup::observed).needs(Figures::kCurve);
  speedup.add("speedup_implied", &Speedup::implied).needs(Figures::kCurve);
  const auto curvature = sheet.part(part_at(&Fit::curvature));
  curvature.add("curvature", &Curvature::estimate).needs(Figures::kAll);
  curvature.add("curvature_t", &Curvature::t).needs(Figures::kAll);
  curvature.add("curvature_p", &Curvature::p).needs(Figures::kAll).as(p_value());
  const auto lack_of_fit = sheet.part(part_at(&Fit::lack_of_fit));
  lack_of_fit.add("lack_of_fit_f", &LackOfFit::f).needs(Figures::kAll);
  lack_of_fit.add("lack_of_fit_p", &LackOfFit::p).needs(Figures::kAll).as(p_value());
  sheet.add("cooks_distance_max", &Fit::cooks_distance_max).needs(Figures::kAll);
}

/// The warnings that people see in the row of a group. The study has those that hold for every
/// group.
std::vector<WarningCode> notes_of(const Fit& fit, const FitOptions& options) {
  std::vector<WarningCode> codes = fit.warnings;
  if (options.epochs_as_runs) std::erase(codes, WarningCode::kEpochsAsRuns);
  std::erase(codes, WarningCode::kUnequalScatter);
  return codes;
}

/// Whether a parameter has a least and a greatest value by the law itself, so that its unit is not
/// arbitrary.
bool has_range(const Law& law, std::size_t parameter) {
  const ParameterSpec& spec = find_law(law.name())->parameters()[parameter];
  return std::isfinite(spec.lower) && std::isfinite(spec.upper);
}

/// "GPUs", "params", or "N" for a name that is not one word.
std::string name_of_scale(const FitReport& report) {
  if (!unit_of_scale(report.x).empty()) return units_of_scale(report.x);
  return is_named_in_formula(report.x, report.y) ? report.x : "N";
}

/// The few columns that people see first.
void show_columns(Sheet<Fit>& sheet, const FitReport& report) {
  const FitOptions& options = report.options;
  const auto parameters = options.law->parameters();
  const bool is_surface = options.law->inputs() > 1;
  const auto show_errors = [&](const std::string& name) {
    // Other exponents stand before the last parameter, of which the interval is.
    const std::string of = is_surface || name == "beta" ? "interval" : "of " + name;
    sheet.show(name + "_ci", fmt::format("{:.6g} % {}", 100 * options.confidence, of));
    if (options.bootstrap.resamples > 0) sheet.show(name + "_bootstrap_ci", "bootstrap");
  };
  sheet.show("n", "n");
  if (!is_surface) sheet.show("x_range", report.x);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const std::string name(parameters[k].name);
    sheet.show(name, name);
    const bool has_unit = parameters[k].transform == Transform::kExp && !has_range(*options.law, k);
    if (is_surface && !has_unit) show_errors(name);
  }
  if (!is_surface) {
    const std::string exponent(parameters.back().name);
    sheet.show(exponent + "_se", "± SE");
    show_errors(exponent);
    sheet.named(exponent + "_se").detail();
    sheet.show("doubling", "2x " + name_of_scale(report));
    sheet.named("r2").detail().titled("R2");
  }
  const std::string sigma = sigma_of(*options.law);
  sheet.named(sigma).detail();
  sheet.show(sigma, sigma == "sigma" ? "sigma" : "residual");
  if (options.pooling) sheet.show("own_sigma", "own sigma");
  if (options.pooling && options.pooling->slopes) sheet.show("own_beta", "own beta");
  sheet.show("warnings", "notes");
}

Sheet<Fit> fit_sheet(const FitReport& report) {
  const FitOptions& options = report.options;
  Sheet<Fit> sheet(report.by);
  add_points(sheet);
  add_doubling(sheet);
  const std::size_t parameters = options.law->parameters().size();
  for (std::size_t i = 0; i < parameters; ++i) add_parameter(sheet, options, i);
  add_line(sheet, *options.law);
  add_surface(sheet, options);
  add_covariance(sheet, parameters);
  add_figures(sheet, *options.law);
  add_pooling(sheet, options);
  sheet.add("warnings", [](const Fit& fit) { return names_of(fit.warnings); })
      .needs(Figures::kAll)
      .toned(Tone::kWarning)
      .seen_as([options](const Fit& fit) { return names_of(notes_of(fit, options), ", "); });
  sheet.add_failure();
  show_columns(sheet, report);
  return sheet;
}

// Lines below tables for people.

/// Tells where the surface is least for a compute, and how sure that is.
std::string surface_text(const FitReport& report, const GroupKey& group, const Fit& fit) {
  const SurfaceFigures& surface = *fit.surface;
  if (!surface.split || report.scales.size() < 2) return "";
  std::string line =
      fmt::format("{}: least for a product c of both{} where", group_name(report.by, group),
                  report.scales.size() > 2 ? ", with fresh tokens," : "");
  for (std::size_t k = 0; k < 2; ++k) {
    const Estimate& exponent = (*surface.split)[k];
    line += fmt::format("{} {} ~ c^{}", k > 0 ? "," : "", report.scales[k],
                        rounded(exponent.estimate, exponent.se).estimate);
    if (exponent.ci) line += fmt::format(" ({})", interval_text(exponent.ci, exponent.se));
  }
  return line;
}

/// Tells how the search for the minimum of a loss went.
std::string descents_text(const FitReport& report, const GroupKey& group, const Fit& fit) {
  const SurfaceFigures& surface = *fit.surface;
  return fmt::format("{}: {} of {} descents met in the minimum, {} {}",
                     group_name(report.by, group), surface.met, surface.starts,
                     surface.huber_delta ? "sum of Huber losses" : "half the sum of squares",
                     with_significant_digits(surface.objective, 6));
}

/// "L = ..., N: parameters, D: tokens, L: loss".
std::string scales_text(const FitReport& report) {
  constexpr std::array<const char*, 3> kLetters{"N", "D", "U"};
  std::string text;
  for (std::size_t k = 0; k < std::min(report.scales.size(), kLetters.size()); ++k) {
    text += fmt::format(", {}: {}", kLetters[k], report.scales[k]);
  }
  return text;
}

void add_pooling_lines(Notes& lines, const Pooling& pooling) {
  lines.add(pooling_sentence(pooling));
  if (!pooling.has_unequal_scatter()) return;
  lines.add(fmt::format("{}: {}", name_of(WarningCode::kUnequalScatter),
                        unequal_scatter_sentence(pooling)));
}

/// The law with what its letters stand for: "t = alpha * N^(-beta), x: gpus, y: seconds", or
/// "loss = alpha * params^(-beta)" where x is no number of GPUs and names can stand in a formula.
std::string formula_text(const FitReport& report) {
  const Law& law = *report.options.law;
  if (report.scales.size() > 1) {
    return fmt::format("{}{}, L: {}", law.formula(report.options.response), scales_text(report),
                       report.y);
  }
  const std::string response = label_with_unit(report.y, report.y_unit);
  if (!is_named_in_formula(report.x, report.y)) {
    return fmt::format("{}, x: {}, y: {}", formula_of(law, report, report.options.response),
                       report.x, response);
  }
  const std::string named = named_formula(law, report, report.options.response);
  return response == report.y ? named : fmt::format("{}, y: {}", named, response);
}

class FitDescription final : public Description<FitReport, Fit, Fit> {
 public:
  explicit FitDescription(FitReport report)
      : Description(std::move(report), {.noun = "fit", .schema = "scalelaw.fit/1", .list = "fits"}),
        answer_(report_) {}
  FitDescription(FitDescription&& other) noexcept
      : Description(std::move(other)), answer_(report_) {}

  void write_head(JsonText& head) const override { write_fits_head(head, report_); }
  void write_members(JsonText& json, const Fit& fit) const override {
    write_fit_members(json, fit);
  }

  Sheet<Fit> sheet(Format) const override { return fit_sheet(report_); }
  void add_rows(SheetWriter& rows, const GroupKey& group, const Fit& fit) const override {
    rows.begin_part_of(group);
    rows.add(group, fit);
  }

  std::string caption() const override {
    std::string text = formula_text(report_);
    if (const auto constraints = constraints_of(*report_.options.law); !constraints.empty()) {
      text += fmt::format(", with {}", joined(constraints));
    }
    if (report_.scales.size() > 1 && report_.options.errors == Errors::kNormal) {
      text += fmt::format(", residuals of {}", report_.y);
    }
    if (report_.options.over_penalty != 1) {
      text += fmt::format(", where the law lies above a run, it counts {:.6g} times",
                          report_.options.over_penalty);
    }
    const BootstrapOptions& bootstrap = report_.options.bootstrap;
    if (bootstrap.resamples > 0) {
      text += fmt::format(", bootstrap: {}, B = {}, seed {}", name_of(bootstrap.kind),
                          bootstrap.resamples, bootstrap.seed);
    }
    return text;
  }

  std::vector<std::string> answer() const override {
    std::vector<std::string> sentences = answer_.sentences();
    if (!report_.options.sharing) return sentences;
    const auto shared = sharing_sentences(*report_.options.sharing, report_.options.confidence);
    sentences.insert(sentences.begin(), shared.begin(), shared.end());
    return sentences;
  }

  void take_note_of(const GroupKey& group, const Fit& fit) override {
    answer_.take_note_of(group, fit, !notes_of(fit, report_.options).empty());
  }

  void explain(Notes& lines, const GroupKey& group, const Fit& fit) override {
    if (fit.surface && lines.size() < kMostSurfacesExplained) {
      lines.add(surface_text(report_, group, fit));
      lines.detail(descents_text(report_, group, fit));
    }
    if (fit.free_law) {
      lines.detail(fmt::format("{}: against the law with all parameters free, {}.",
                               group_name(report_.by, group), free_law_text(*fit.free_law)));
    }
    for (const WarningCode code : notes_of(fit, report_.options)) {
      warnings_.take(code, group_name(report_.by, group),
                     [&] { return scalelaw::explain(code, fit); });
    }
  }

  void close(Notes& lines) const override {
    if (const auto& pooling = report_.options.pooling) add_pooling_lines(lines, *pooling);
    lines.add(warnings_.lines());
  }

 private:
  FitAnswer answer_;
  WarningNotes warnings_;
};

}  // namespace

std::unique_ptr<GroupWriter<Fit>> make_fit_writer(FitReport report, const TableStyle& style,
                                                  TextSink sink) {
  return make_result_writer(FitDescription(std::move(report)), style, std::move(sink));
}

std::string render_fits(const FitReport& report, std::span<const GroupFit> fits,
                        const TableStyle& style) {
  std::string text;
  write_groups(*make_fit_writer(report, style, [&text](std::string_view piece) { text += piece; }),
               fits);
  return text;
}

}  // namespace scalelaw
