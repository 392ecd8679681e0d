// What the figures of energy scaling mean, in plain words.

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_report.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

std::string digits(double value) { return with_significant_digits(value, 4); }

std::string range_text(const std::optional<Interval>& ci, double unit = 1) {
  if (!ci) return "no interval";
  return interval_text(Interval{ci->lower / unit, ci->upper / unit}, significant(4));
}

std::string exponents_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  if (const auto* reason = std::get_if<NoFit>(&scaling.exponents)) {
    return fmt::format("no exponents: {} ({})", reason->message, name_of(reason->code));
  }
  const auto& exponents = std::get<EnergyExponents>(scaling.exponents);
  const Fit* power = std::get_if<Fit>(&exponents.power);
  const double percent = 100 * (exponents.energy_of_twice() - 1);
  return fmt::format(
      "t = alpha * N^(-beta), beta {}; power of one {} as N^({}); energy as N^({}): twice the {}, "
      "{} {} energy",
      with_error(exponents.time.parameters.back()), worker_of_scale(report.study.x),
      power != nullptr ? with_error(power->parameters.back()) : "-",
      with_error(exponents.energy.parameters.back()), report.study.x,
      with_significant_digits(std::abs(percent), 3) + " %", percent < 0 ? "less" : "more");
}

/// "the column of energies is 1.02 times N t P (1.01 .. 1.03)".
std::string level_text(const EnergyReport& report, const IdentityCheck& identity) {
  if (!identity.level) return "";
  return fmt::format("; energies are {} times {} P ({})", digits(identity.level->value),
                     time_of_all(report.study.x), range_text(identity.level->ci));
}

std::string miss_text(const Estimate& residual) {
  constexpr double kNothing = 5e-5;
  const bool is_nothing =
      std::abs(residual.estimate) < kNothing && residual.se.value_or(1) < kNothing;
  return is_nothing ? "less than 0.0001" : with_error(residual);
}

/// Guesses which devices the power belongs to, if the energy is far from it.
std::string level_off_text(const EnergyReport& report, double level) {
  if (level < 1) {
    return report.total_power
               ? "the power seems to be of more than one run's devices, or the units differ"
               : "the power seems to be of several GPUs or of a node: --total-power?";
  }
  return report.total_power ? "the power seems to be of one GPU: without --total-power?"
                            : "the energy seems to be of more than these GPUs, or the units differ";
}

std::string identity_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const IdentityCheck& identity = scaling.identity;
  const std::string sum =
      fmt::format("{}beta + exponent(P)", may_share_work(report.study.x) ? "1 - " : "-");
  const std::string claim = "exponent(E) = " + sum;
  if (identity.verdict == IdentityVerdict::kByConstruction) {
    return fmt::format("{} by construction: {} {}", claim,
                       scaling.power == PowerSource::kFromEnergy ? "power is energy over"
                                                                 : "energy is power times",
                       time_of_all(report.study.x));
  }
  const bool is_off = identity.verdict == IdentityVerdict::kLevelOff;
  const std::string what = is_off ? level_off_text(report, identity.level->value) : "";
  if (!identity.residual) {
    return fmt::format("{} is not checked: {}{}{}{}", claim, identity.reason,
                       level_text(report, identity), is_off ? ": " : "", what);
  }
  std::string text = fmt::format(
      "the exponent of the energy differs by {} from {}, which time and power give, on {} runs "
      "with "
      "{}: ",
      miss_text(*identity.residual), sum, identity.n, report.power);
  if (is_off) {
    text += what;
  } else if (identity.verdict == IdentityVerdict::kAgrees) {
    text += fmt::format("energy and power agree within {}", kIdentityMargin);
  } else if (identity.verdict == IdentityVerdict::kDisagrees) {
    text +=
        "energy and power do not tell the same story as N grows. Check what each measures: an "
        "energy of the whole node goes with no power of its GPUs alone";
  } else {
    text += "too few runs to tell whether energy and power agree";
  }
  return text + level_text(report, identity);
}

std::string r2_text(const std::optional<double>& r2) { return shown_text(r2, significant(4)); }

std::string origin_text(const GpuHoursFit& fit, const std::string& x) {
  const Fit* origin = std::get_if<Fit>(&fit.origin);
  if (origin == nullptr) return "E = k * hours: " + std::get<NoFit>(fit.origin).message;
  const Parameter& k = origin->parameters.back();
  return fmt::format("E = k * {}: k = {} W per {} ({})", hours_of_scale(x), digits(k.estimate),
                     worker_of_scale(x), range_text(k.ci));
}

std::string intercept_text(const GpuHoursFit& fit) {
  const Fit* line = std::get_if<Fit>(&fit.intercept);
  if (line == nullptr) return "; no intercept: " + std::get<NoFit>(fit.intercept).message;
  const Parameter& a = line->parameters.front();
  const Parameter& k = line->parameters.back();
  constexpr double kKilo = 1000;
  std::string text =
      fmt::format("; with an intercept: k = {} ({}), intercept {} kWh ({})", digits(k.estimate),
                  range_text(k.ci), digits(a.estimate / kKilo), range_text(a.ci, kKilo));
  return text.append(word_for(
      fit.intercept_sign(),
      {{InterceptSign::kAbove,
        ": energy that does not grow with the hours, as of a start-up, or power that falls as they "
        "grow"},
       {InterceptSign::kBelow, ": power grows with the hours"},
       {InterceptSign::kNone, ": no start-up energy is shown"},
       {InterceptSign::kUnknown, ""}}));
}

std::string least_squares_text(const GpuHoursFit& fit) {
  const Fit* origin = std::get_if<Fit>(&fit.origin_least);
  const Fit* line = std::get_if<Fit>(&fit.intercept_least);
  if (origin == nullptr) return "";
  std::string text =
      fmt::format("least squares of E itself: k = {}, R2 {} about 0, {} about the mean",
                  digits(origin->parameters.back().estimate), r2_text(origin->r2),
                  r2_text(fit.origin_least_r2_mean));
  if (line == nullptr) return text;
  return text + fmt::format("; with an intercept: k = {}, intercept {} kWh, R2 {}",
                            digits(line->parameters.back().estimate),
                            digits(line->parameters.front().estimate / 1000), r2_text(line->r2));
}

std::string driver_name(const EnergyReport& report, std::string_view name) {
  if (name == "scale") return report.study.x;
  std::string text(name);
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

std::string drivers_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const auto driver_text = [&report](const PowerDriver& driver) {
    const std::string name = driver_name(report, driver.name);
    if (!driver.slope) return fmt::format("{}: {}", name, driver.reason);
    const std::optional<double>& p = driver.slope->p;
    return fmt::format("{}^({}){}", name, with_error(*driver.slope),
                       p ? fmt::format(" (p {})", p_relation(*p)) : "");
  };
  std::string text = "how k changes with one factor at a time: as " +
                     joined_texts(scaling.drivers, ", ", driver_text);
  if (scaling.joint) {
    text += fmt::format(
        "; with samples and updates together: as samples per gpu hour^({}), updates per gpu "
        "hour^({})",
        with_error(scaling.joint->samples), with_error(scaling.joint->updates));
  }
  return text;
}

std::string place_text(const EnergyReport& report, const Least& least, bool measured) {
  const std::string n = fmt::format("{} {}", report.study.x, scale_text(least.x));
  const std::string interval =
      least.ci ? fmt::format("{} .. {}", scale_text(least.ci->lower), scale_text(least.ci->upper))
               : "no interval";
  if (least.place == LeastPlace::kInside) {
    return fmt::format("least at {}{}, {} of that at the smallest", n,
                       measured ? "" : " (" + interval + ")", digits(least.against_smallest));
  }
  std::string text =
      fmt::format("none inside the range, least at the {}, {}", name_of(least.place), n);
  if (least.ci && least.ci->lower < least.ci->upper) {
    text += fmt::format(" ({} not excluded)", interval);
  }
  return text;
}

std::string_view objective_text(Objective objective) {
  return objective == Objective::kEnergyDelay ? "energy-delay product" : name_of(objective);
}

/// Adds a name to the entry of `what`, or a new entry.
void add_to(std::vector<std::pair<std::string, std::string>>& list, const std::string& what,
            const std::string& name) {
  const auto same = first_where(list, [&what](const auto& one) { return one.first == what; });
  if (same == nullptr) {
    list.emplace_back(what, name);
  } else {
    same->second += ", " + name;
  }
}

/// One line per objective. Laws with the same answer stand together.
std::string least_sentence(const EnergyReport& report, const EnergyScaling& scaling,
                           Objective objective) {
  std::vector<std::pair<std::string, std::string>> places;  // Where, and under which laws.
  for (const LeastUnderLaw& law : scaling.least) {
    for (const Least& least : law.least) {
      if (least.objective != objective) continue;
      const std::string place = place_text(report, least, law.law == "measured");
      const std::string name = std::string(law.law) + (law.best ? " (best)" : "");
      add_to(places, place, name);
    }
  }
  if (places.empty()) return "";
  return fmt::format("{}: {}", objective_text(objective),
                     joined_texts(places, "; ", [](const auto& place) {
                       return place.first + " by " + place.second;
                     }));
}

/// "not asked for minima: floor, usl: too few different N".
std::string rejected_sentence(const EnergyScaling& scaling) {
  std::vector<std::pair<std::string, std::string>> reasons;  // Why, and which laws.
  for (const LeastUnderLaw& law : scaling.least) {
    if (!law.rejected.empty()) add_to(reasons, law.rejected, std::string(law.law));
  }
  std::string text = reasons.empty() ? "" : "not asked for minima: ";
  text +=
      joined_texts(reasons, "; ", [](const auto& one) { return one.second + ": " + one.first; });
  if (scaling.least_caveat.empty()) return text;
  return text + (text.empty() ? "" : "; ") +
         "minima under laws are doubtful: " + scaling.least_caveat;
}

std::string workload_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const Workload& work = scaling.workload;
  std::string text;
  if (work.scaling && *work.scaling == Scaling::kStrong) {
    text = fmt::format("strong scaling: the same {} at every {}", report.samples, report.study.x);
  } else if (work.scaling) {
    text = fmt::format(
        "{} scaling: {} as N^({}); speedup, efficiency, relative energy and minima are of one "
        "sample",
        name_of(*work.scaling), report.samples,
        work.samples_exponent ? digits(*work.samples_exponent) : "-");
    if (work.per_sample) {
      text += fmt::format(", time of one as N^(-beta), beta {}, energy of one as N^({})",
                          with_error(work.per_sample->time.parameters.back()),
                          with_error(work.per_sample->energy.parameters.back()));
    }
  }
  if (!work.reason.empty())
    text += (text.empty() ? "" : "; ") + ("no numbers of a sample: " + work.reason);
  if (work.batch_varies()) {
    text += fmt::format("{}the global batch grows as N^({}): runs differ in gradient updates, too",
                        text.empty() ? "" : "; ", digits(*work.batch_exponent));
    if (!work.scaling) text += " (--samples COL gives the numbers of a sample)";
  }
  return text;
}

std::string totals_sentence(const EnergyReport& report, const EnergyScaling& scaling) {
  const EnergyTotals& totals = scaling.totals;
  std::string text =
      fmt::format("{} together: {} {}, {} kWh", counted(scaling.n, "run"), digits(totals.gpu_hours),
                  hours_of_scale(report.study.x), digits(totals.kwh));
  if (totals.co2_kg) text += fmt::format(", {} kg CO2", digits(*totals.co2_kg));
  if (totals.cost) text += fmt::format(", cost {}", digits(*totals.cost));
  return text;
}

std::string warnings_sentence(const EnergyScaling& scaling) {
  std::map<std::string_view, std::string> by_code;
  for (const EnergyWarning& warning : energy_warnings(scaling)) {
    std::string& of = by_code[name_of(warning.code)];
    of += (of.empty() ? "of the " : ", ") + std::string(warning.of);
  }
  if (by_code.empty()) return "";
  return "warnings of the power laws: " + joined_texts(by_code, "; ", [](const auto& one) {
           return fmt::format("{} ({})", one.first, one.second);
         });
}

}  // namespace

std::vector<std::string> energy_doubts(const EnergyReport& report, const EnergyScaling& scaling) {
  std::vector<std::string> lines;
  const IdentityVerdict verdict = scaling.identity.verdict;
  if (verdict == IdentityVerdict::kLevelOff || verdict == IdentityVerdict::kDisagrees) {
    lines.push_back(identity_sentence(report, scaling));
  }
  if (scaling.workload.is_per_sample() || scaling.workload.batch_varies() ||
      !scaling.workload.reason.empty()) {
    lines.push_back(workload_sentence(report, scaling));
  }
  if (!scaling.least_caveat.empty()) {
    lines.push_back("minima under laws are doubtful: " + scaling.least_caveat);
  }
  if (report.options.footprint.carbon_intensity || report.options.footprint.price ||
      report.options.gpu_price) {
    lines.push_back(totals_sentence(report, scaling));
  }
  lines.push_back(warnings_sentence(scaling));
  return told(std::move(lines));
}

std::vector<std::string> energy_sentences(const EnergyReport& report,
                                          const EnergyScaling& scaling) {
  const GpuHoursFit& hours = scaling.gpu_hours;
  return told({exponents_sentence(report, scaling), identity_sentence(report, scaling),
               origin_text(hours, report.study.x) + intercept_text(hours),
               least_squares_text(hours), drivers_sentence(report, scaling),
               least_sentence(report, scaling, Objective::kEnergy),
               least_sentence(report, scaling, Objective::kEnergyDelay),
               least_sentence(report, scaling, Objective::kCost), rejected_sentence(scaling),
               workload_sentence(report, scaling), totals_sentence(report, scaling),
               warnings_sentence(scaling)});
}

}  // namespace scalelaw
