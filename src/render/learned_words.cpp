#include "render/learned_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// A typical share, and one standard deviation about it.
std::string share_range(const NormalPrior& log_share) {
  const auto share_at = [&](double sds) {
    return 100 / (1 + std::exp(-log_share.mean - sds * log_share.sd));
  };
  return fmt::format("{:.2g} % ({:.2g} to {:.2g} %)", share_at(0), share_at(-1), share_at(1));
}

/// The median of the scatter of levels over groups, by Wilson and Hilferty's approximation.
double typical_scatter(const LawPriors& priors) {
  const double below = 1 - 2 / (9 * priors.scatter_dof);
  return std::sqrt(priors.scatter_variance / (below * below * below));
}

}  // namespace

std::optional<Pool> pooled(const ForecastOptions& options) {
  if (options.learned) return Pool::kLaws;
  return options.pooling ? std::optional(options.pooling->kind) : std::nullopt;
}

std::string learned_sentence(const LearnedPriors& learned) {
  const LawPriors& all = learned.of_all();
  const auto weight = [&all](MixedLaw law) { return all.weights[static_cast<std::size_t>(law)]; };
  std::vector<std::string> laws;
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    laws.push_back(
        fmt::format("{} {:.2f}", law_of(static_cast<MixedLaw>(law)).name(), all.weights[law]));
  }
  std::string text = fmt::format(
      "Pooled: each forecast also uses what the others of {} groups tell. Their laws weigh {}.",
      learned.groups, joined(laws));
  if (weight(MixedLaw::kFloor) > 0.2) {
    text += fmt::format(" A floor takes {} of the first time.", share_range(all.floor));
  }
  if (weight(MixedLaw::kAmdahl) + weight(MixedLaw::kUsl) > 0.2) {
    text += fmt::format(" Serial work takes {} of the first time.", share_range(all.serial));
  }
  return text + fmt::format(" Means at one scale typically lie {:.2g} % from the curve.",
                            100 * typical_scatter(all));
}

void write_learned(JsonText& head, const LearnedPriors& learned) {
  const LawPriors& all = learned.of_all();
  JsonText& json = head.member("priors");
  json.open('{');
  json.key("groups").count(std::uint64_t{learned.groups});
  json.key("laws").open('{');
  for (std::size_t law = 0; law < kMixedLaws; ++law) {
    json.key(law_of(static_cast<MixedLaw>(law)).name()).number(all.weights[law]);
  }
  json.close('}');
  const auto write = [&json](std::string_view name, const NormalPrior& prior) {
    json.key(name).open('{');
    write_numbers(json, {{"mean", prior.mean}, {"sd", prior.sd}});
    json.close('}');
  };
  write("exponent", all.exponent);
  write("exponent_above_floor", all.exponent_above_floor);
  write("ln_floor_share", all.floor);
  write("ln_serial_share", all.serial);
  write("ln_coherency_share", all.coherency);
  write("bend", all.bend);
  json.key("scatter").open('{');
  write_numbers(json, {{"sigma", std::sqrt(all.scatter_variance)}, {"dof", all.scatter_dof}});
  json.close('}');
  json.close('}');
}

}  // namespace scalelaw
