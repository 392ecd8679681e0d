// Tails as CSV or TSV: one row a group, every digit of every number.

#include <array>

#include "render/delimited_rows.hpp"
#include "render/tail_writers.hpp"
#include "scalelaw/base/number.hpp"

namespace scalelaw {
namespace {

/// A column that rows of tails fill.
struct Column {
  std::string_view name;
  std::string (*text)(const Tail& tail);
};

const TailAlternative& of(const Tail& tail, TailModel model) {
  return tail.alternatives[static_cast<std::size_t>(model)];
}

template <TailModel model>
std::string ratio(const Tail& tail) {
  return exact_text(of(tail, model).log_ratio);
}
template <TailModel model>
std::string normalised(const Tail& tail) {
  return exact_text(of(tail, model).normalised);
}
template <TailModel model>
std::string p_of(const Tail& tail) {
  return exact_text(of(tail, model).p);
}
template <TailModel model>
std::string comparison(const Tail& tail) {
  return std::string(name_of(of(tail, model).comparison));
}

template <TailModel model, std::size_t index>
std::string parameter(const Tail& tail) {
  const auto& parameters = of(tail, model).parameters;
  return index < parameters.size() ? exact_text(parameters[index].value) : std::string();
}
template <TailModel model>
std::string likelihood(const Tail& tail) {
  return exact_text(of(tail, model).log_likelihood);
}
template <TailModel model>
std::string at_limit(const Tail& tail) {
  return std::string(truth_text(of(tail, model).at_limit));
}

constexpr auto kColumns = std::to_array<Column>({
    {"n", [](const Tail& tail) { return std::to_string(tail.n); }},
    {"distinct", [](const Tail& tail) { return std::to_string(tail.distinct); }},
    {"tail_n", [](const Tail& tail) { return std::to_string(tail.tail_n); }},
    {"tail_n_ci_lower", [](const Tail& tail) { return lower_text(tail.tail_n_ci); }},
    {"tail_n_ci_upper", [](const Tail& tail) { return upper_text(tail.tail_n_ci); }},
    {"x_min", [](const Tail& tail) { return exact_text(tail.x_min); }},
    {"x_min_ci_lower", [](const Tail& tail) { return lower_text(tail.x_min_ci); }},
    {"x_min_ci_upper", [](const Tail& tail) { return upper_text(tail.x_min_ci); }},
    {"x_max", [](const Tail& tail) { return exact_text(tail.x_max); }},
    {"alpha", [](const Tail& tail) { return exact_text(tail.alpha); }},
    {"alpha_se", [](const Tail& tail) { return exact_text(tail.alpha_se); }},
    {"alpha_bootstrap_se", [](const Tail& tail) { return exact_text(tail.alpha_bootstrap_se); }},
    {"alpha_ci_lower", [](const Tail& tail) { return lower_text(tail.alpha_ci); }},
    {"alpha_ci_upper", [](const Tail& tail) { return upper_text(tail.alpha_ci); }},
    {"ks", [](const Tail& tail) { return exact_text(tail.distance); }},
    {"p", [](const Tail& tail) { return exact_text(tail.p); }},
    {"log_likelihood", [](const Tail& tail) { return exact_text(tail.log_likelihood); }},
    {"lognormal_log_ratio", ratio<TailModel::kLognormal>},
    {"lognormal_normalised", normalised<TailModel::kLognormal>},
    {"lognormal_p", p_of<TailModel::kLognormal>},
    {"lognormal", comparison<TailModel::kLognormal>},
    {"exponential_log_ratio", ratio<TailModel::kExponential>},
    {"exponential_normalised", normalised<TailModel::kExponential>},
    {"exponential_p", p_of<TailModel::kExponential>},
    {"exponential", comparison<TailModel::kExponential>},
    {"stretched_log_ratio", ratio<TailModel::kStretched>},
    {"stretched_normalised", normalised<TailModel::kStretched>},
    {"stretched_p", p_of<TailModel::kStretched>},
    {"stretched", comparison<TailModel::kStretched>},
    {"truncated_log_ratio", ratio<TailModel::kTruncated>},
    {"truncated_p", p_of<TailModel::kTruncated>},
    {"truncated", comparison<TailModel::kTruncated>},
    {"usable_draws", [](const Tail& tail) { return std::to_string(tail.usable); }},
    {"lognormal_mu", parameter<TailModel::kLognormal, 0>},
    {"lognormal_sigma", parameter<TailModel::kLognormal, 1>},
    {"lognormal_log_likelihood", likelihood<TailModel::kLognormal>},
    {"lognormal_at_limit", at_limit<TailModel::kLognormal>},
    {"exponential_lambda", parameter<TailModel::kExponential, 0>},
    {"exponential_log_likelihood", likelihood<TailModel::kExponential>},
    {"stretched_beta", parameter<TailModel::kStretched, 0>},
    {"stretched_lambda", parameter<TailModel::kStretched, 1>},
    {"stretched_log_likelihood", likelihood<TailModel::kStretched>},
    {"stretched_at_limit", at_limit<TailModel::kStretched>},
    {"truncated_alpha", parameter<TailModel::kTruncated, 0>},
    {"truncated_lambda", parameter<TailModel::kTruncated, 1>},
    {"truncated_log_likelihood", likelihood<TailModel::kTruncated>},
    {"truncated_at_limit", at_limit<TailModel::kTruncated>},
    {"verdict", [](const Tail& tail) { return std::string(name_of(tail.verdict)); }},
    {"sentence", [](const Tail& tail) { return tail_sentence(tail); }},
});

bool is_own_column(const std::string& name) {
  if (name == "status" || name == "code" || name == "message") return true;
  return is_column(kColumns, name);
}

void write_header(DelimitedRows& rows, const TailReport& report) {
  for (const std::string& name : report.study.by) {
    rows.add(is_own_column(name) ? "group_" + name : name);
  }
  rows.add("status");
  for (const Column& column : kColumns) rows.add(column.name);
  rows.add("code");
  rows.add("message");
  rows.end_row();
}

void write_row(DelimitedRows& rows, const Tail& tail) {
  rows.add("ok");
  for (const Column& column : kColumns) rows.add(column.text(tail));
  rows.add("");
  rows.add("");
  rows.end_row();
}

void write_row(DelimitedRows& rows, const NoFit& failure) {
  rows.add("failed");
  for (std::size_t i = 0; i < kColumns.size(); ++i) rows.add("");
  rows.add(name_of(failure.code));
  rows.add(failure.message);
  rows.end_row();
}

}  // namespace

void write_tail_rows(const TailReport& report, std::span<const GroupTail> groups, char separator,
                     const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  write_header(rows, report);
  for (const GroupTail& group : groups) {
    for (const std::string& value : group.group) rows.add(value);
    std::visit([&](const auto& result) { write_row(rows, result); }, group.result);
  }
  rows.finish();
}

}  // namespace scalelaw
