#include "scalelaw/fit/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/errors.hpp"
#include "fit/regression.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// A law some of whose parameters are held at values, equal others, or have narrower ranges.
class ConstrainedLaw final : public Law {
 public:
  ConstrainedLaw(const Law& law, std::vector<ParameterSpec> specs,
                 std::vector<Constraint> constraints)
      : law_(law), specs_(std::move(specs)), constraints_(std::move(constraints)) {}

  std::string_view name() const override { return law_.name(); }
  std::string_view formula(Response response) const override { return law_.formula(response); }
  Scale scale() const override { return law_.scale(); }
  std::span<const ParameterSpec> parameters() const override { return specs_; }
  Constraint constraint(std::size_t parameter) const override { return constraints_[parameter]; }
  std::size_t fitted_parameters() const override {
    std::size_t count = 0;
    for (std::size_t k = 0; k < specs_.size(); ++k) count += is_fitted(k) ? 1 : 0;
    return count;
  }
  bool linear() const override { return false; }  // Offsets and bounds make it none.
  bool logarithmic_x() const override { return law_.logarithmic_x(); }
  std::size_t inputs() const override { return law_.inputs(); }

  double predictor(std::span<const double> x, std::span<const double> theta,
                   Response response) const override {
    const SmallVector whole = completed(theta);
    return law_.predictor(x, std::span(whole).first(theta.size()), response);
  }
  double gradient(std::span<const double> x, std::span<const double> theta, Response response,
                  std::span<double> out) const override {
    const SmallVector whole = completed(theta);
    const double eta = law_.gradient(x, std::span(whole).first(theta.size()), response, out);
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      if (!constraints_[k].equal_to) continue;
      out[*constraints_[k].equal_to] += out[k];
      out[k] = 0;
    }
    return eta;
  }

  std::vector<double> shapes(double x_min, double x_max) const override {
    std::vector<double> shapes = law_.shapes(x_min, x_max);
    if (shapes.empty()) shapes = slopes();
    const std::size_t p = specs_.size();
    for (std::size_t shape = 0; shape + p <= shapes.size(); shape += p) {
      keep_inside(std::span(shapes).subspan(shape, p));
    }
    return shapes;
  }
  bool rescale(std::span<double> theta, double log_factor, Response response) const override {
    SmallVector probe{};
    std::ranges::copy(theta, probe.begin());
    const auto probed = std::span(probe).first(theta.size());
    if (!law_.rescale(probed, 1, response) || moves_fixed(theta, probed)) return false;
    law_.rescale(theta, log_factor, response);
    keep_inside(theta);
    return true;
  }

 private:
  /// Starts of laws that need none where all is free: lines of several slopes.
  std::vector<double> slopes() const {
    std::vector<double> thetas;
    for (const double slope : {-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0}) {
      thetas.push_back(0);
      thetas.push_back(slope);
      thetas.resize(thetas.size() + specs_.size() - 2, 0.0);
    }
    return thetas;
  }

  bool moves_fixed(std::span<const double> from, std::span<const double> to) const {
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (constraints_[k].value && from[k] != to[k]) return true;
    }
    return false;
  }

  void keep_inside(std::span<double> theta) const {
    for (std::size_t k = 0; k < theta.size(); ++k) {
      theta[k] = std::clamp(theta[k], specs_[k].lower, specs_[k].upper);
    }
  }

  /// theta with the values that tied parameters take from others.
  SmallVector completed(std::span<const double> theta) const {
    SmallVector whole{};
    std::ranges::copy(theta, whole.begin());
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      if (constraints_[k].equal_to) whole[k] = theta[*constraints_[k].equal_to];
    }
    return whole;
  }

  const Law& law_;
  std::vector<ParameterSpec> specs_;  ///< Those that are held have a range of one value.
  std::vector<Constraint> constraints_;
};

/// Puts the constraints on the parameters of a law, one after another.
class Constrainer {
 public:
  explicit Constrainer(const Law& law)
      : law_(law),
        specs_(law.parameters().begin(), law.parameters().end()),
        constraints_(specs_.size()) {}

  void fix(const std::string& name, double value) {
    const std::size_t k = take(name);
    const double working = inside(k, value);
    specs_[k].lower = specs_[k].upper = working;
    constraints_[k].value = value;
  }

  void bound(const std::string& name, const Interval& range) {
    const std::size_t k = take(name);
    if (!(range.lower < range.upper)) {
      throw data_error("--bound {}={:g}..{:g}: the lower end must be below the upper one", name,
                       range.lower, range.upper);
    }
    ParameterSpec& spec = specs_[k];
    const bool open = spec.is_exponential() && range.lower <= 0;
    const double lower = open ? spec.lower : inside(k, range.lower);
    spec.upper = inside(k, range.upper);
    spec.lower = lower;
  }

  /// The second follows the first.
  void tie(const std::string& first, const std::string& second) {
    // Of two that are equal, the one with a value or a range leads.
    if (taken_.count(parameter_named(law_, second)) > 0 &&
        taken_.count(parameter_named(law_, first)) == 0) {
      return follow(second, first);
    }
    follow(first, second);
  }

  std::unique_ptr<const ConstrainedLaw> law() {
    check_followers();
    check_kink();
    auto made = std::make_unique<const ConstrainedLaw>(law_, specs_, constraints_);
    if (made->fitted_parameters() == 0) {
      throw data_error("all parameters of the {} law are fixed: nothing is left to fit",
                       law_.name());
    }
    return made;
  }

 private:
  /// The parameter of that name, which no constraint may have named before.
  std::size_t take(const std::string& name) {
    const std::size_t k = parameter_named(law_, name);
    if (!taken_.insert(k).second) {
      throw data_error("{} is held twice: name it once in --fix, --bound and --tie", name);
    }
    return k;
  }

  void follow(const std::string& first, const std::string& second) {
    const std::size_t leader = parameter_named(law_, first);
    const std::size_t follower = take(second);
    if (leader == follower) {
      throw data_error("--tie {}={}: a parameter cannot be tied to itself", first, second);
    }
    if (constraints_[leader].equal_to) {
      throw data_error("--tie {0}={1}: {0} equals {2} already; tie all others to {2}", first,
                       second, specs_[*constraints_[leader].equal_to].name);
    }
    if (!are_alike(law_.parameters()[leader], law_.parameters()[follower])) {
      throw data_error(
          "--tie {}={}: the two have different meanings in the {} law; only two prefactors, two "
          "exponents or two shares can be equal",
          first, second, law_.name());
    }
    specs_[follower].lower = specs_[follower].upper = 0;
    constraints_[follower].equal_to = leader;
  }

  static bool are_alike(const ParameterSpec& one, const ParameterSpec& other) {
    return one.transform == other.transform && one.lower == other.lower && one.upper == other.upper;
  }

  double inside(std::size_t k, double value) const {
    const ParameterSpec& spec = law_.parameters()[k];
    const double working = spec.working(value);
    if (std::isfinite(working) && working >= spec.lower && working <= spec.upper) return working;
    const bool positive = spec.transform == Transform::kExp;
    throw data_error("{} = {:g}: the {} law has this parameter {}", spec.name, value, law_.name(),
                     positive ? "above 0" : range_text(spec.lower, spec.upper));
  }
  static std::string range_text(double lower, double upper) {
    if (std::isinf(upper)) return fmt::format("at {:g} or above", lower);
    return fmt::format("between {:g} and {:g}", lower, upper);
  }

  void check_followers() const {
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      if (!constraints_[k].equal_to || !constraints_[*constraints_[k].equal_to].equal_to) continue;
      throw data_error("--tie: {} is tied to {}, which is tied itself; tie both to one",
                       specs_[k].name, specs_[*constraints_[k].equal_to].name);
    }
  }

  void check_kink() const {
    const auto kink = law_.kink();
    if (!kink || constraints_[*kink].value) return;
    throw data_error(
        "the place of a break is searched between free lines: with --fix, --bound or --tie, fix {} "
        "too",
        specs_[*kink].name);
  }

  const Law& law_;
  std::vector<ParameterSpec> specs_;
  std::vector<Constraint> constraints_;
  std::set<std::size_t> taken_;
};

std::string key_of(const Law& law, const Constraints& constraints) {
  std::string key(law.name());
  for (const auto& [name, value] : constraints.fixed) key += fmt::format("|{}={}", name, value);
  for (const auto& [first, second] : constraints.tied) key += fmt::format("|{}~{}", first, second);
  for (const auto& [name, range] : constraints.bounded) {
    key += fmt::format("|{}:{}:{}", name, range.lower, range.upper);
  }
  return key;
}

}  // namespace

const Law& constrained(const Law& law, const Constraints& constraints) {
  if (constraints.empty()) return law;
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const ConstrainedLaw>> laws;
  const std::lock_guard lock(mutex);
  auto& made = laws[key_of(law, constraints)];
  if (made) return *made;
  Constrainer constrainer(law);
  for (const auto& [name, value] : constraints.fixed) constrainer.fix(name, value);
  for (const auto& [name, range] : constraints.bounded) constrainer.bound(name, range);
  for (const auto& [first, second] : constraints.tied) constrainer.tie(first, second);
  made = constrainer.law();
  return *made;
}

std::vector<std::string> constraints_of(const Law& law) {
  const Law* const free = find_law(law.name());
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < law.parameters().size(); ++k) {
    const ParameterSpec& spec = law.parameters()[k];
    const Constraint held = law.constraint(k);
    if (held.value) {
      texts.push_back(fmt::format("{} = {:.6g}", spec.name, *held.value));
    } else if (held.equal_to) {
      texts.push_back(fmt::format("{} = {}", spec.name, law.parameters()[*held.equal_to].name));
    } else if (free != nullptr && (spec.lower != free->parameters()[k].lower ||
                                   spec.upper != free->parameters()[k].upper)) {
      texts.push_back(fmt::format("{} in {:.6g}..{:.6g}", spec.name, spec.reported(spec.lower),
                                  spec.reported(spec.upper)));
    }
  }
  return texts;
}

}  // namespace scalelaw
