#include "render/replay_parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace scalelaw {

void write_job(JsonText& json, const Job& job) {
  json.open('{');
  json.key("dataset").text(job.dataset);
  json.key("model").text(job.network);
  json.key("optimizer").text(job.optimizer);
  json.key("target_metric").number(job.target_metric);
  json.key("max_epochs").count(std::uint64_t{job.max_epochs});
  json.key("b0").count(job.default_batch_size);
  json.close('}');
}

void write_policy(JsonText& json, const ReplaySettings& settings) {
  const PolicySettings& policy = settings.policy;
  json.key("policy").text(name_of(policy.batch_size));
  json.key("power_policy").text(name_of(policy.power_limit));
  if (policy.power_limit == PowerLimitRule::kFixed) {
    json.key("fixed_limit_w").number(policy.fixed_limit_w);
  }
  json.key("mode").text(name_of(policy.mode));
  json.key("eta").number(policy.eta);
  json.key("beta").number(settings.beta);
  json.key("window").count(std::uint64_t{policy.window});
}

void write_knobs(JsonText& json, const JobTrace& trace, const std::optional<Knobs>& knobs) {
  const SizeTrace* size = knobs ? &trace.sizes[knobs->size] : nullptr;
  json.key("batch_size");
  size == nullptr ? json.null() : json.count(size->batch_size);
  json.key("power_limit");
  size == nullptr ? json.null() : json.number(size->limits[knobs->limit].limit_w);
}

std::string energy_text(double joules) {
  static constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, "TJ"}, {1e9, "GJ"}, {1e6, "MJ"}, {1e3, "kJ"}};
  for (const auto& [factor, unit] : kUnits) {
    if (std::abs(joules) >= factor) return fmt::format("{:.4g} {}", joules / factor, unit);
  }
  return fmt::format("{:.4g} J", joules);
}

std::string time_text(double seconds) {
  if (seconds >= 2 * 86400) return fmt::format("{:.4g} d", seconds / 86400);
  if (seconds >= 2 * 3600) return fmt::format("{:.4g} h", seconds / 3600);
  return fmt::format("{:.4g} s", seconds);
}

std::string share_text(double share) {
  const double rounded = std::round(1000 * share) / 10;
  return fmt::format("{:.1f} %", rounded == 0 ? 0 : rounded);  // No "-0.0".
}

std::string limits_text(const PolicySettings& policy) {
  const std::string name(name_of(policy.power_limit));
  const bool fixed = policy.power_limit == PowerLimitRule::kFixed;
  return fixed ? fmt::format("{} at {} W", name, policy.fixed_limit_w) : name;
}

std::string beta_text(double beta) { return std::isinf(beta) ? "inf" : fmt::format("{}", beta); }

}  // namespace scalelaw
