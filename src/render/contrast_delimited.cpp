// Contrasts as CSV or TSV: one row a pair of levels with the tests of its group, every digit of
// every number; one row for a group without a contrast.

#include <algorithm>
#include <array>

#include "render/contrast_writers.hpp"
#include "render/delimited_rows.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// What a row is made from.
struct Pair {
  const ContrastReport& report;
  const Contrast& contrast;
  const std::string& sentence;
  const SlopePair& slope;
  const OffsetPair& offset;
};

/// A column that rows of pairs fill.
struct Column {
  std::string_view name;
  std::string (*text)(const Pair& pair);
};

template <class Test>
std::string figure(const std::optional<Test>& test, double Test::*member) {
  return test ? exact_text((*test).*member) : std::string();
}

std::string count(std::uint64_t value) { return std::to_string(value); }

std::string level(const Pair& pair, std::size_t index) {
  return joined(pair.contrast.levels[index].level);
}

std::string beta(const Pair& pair, std::size_t index) {
  return exact_text(pair.contrast.levels[index].fit.parameters.back().estimate);
}

std::string left_out(const Contrast& contrast) {
  std::string text;
  for (const OmittedLevel& level : contrast.omitted) {
    if (!text.empty()) text += ';';
    text += joined(level.level) + ": " + std::string(name_of(level.code));
  }
  return text;
}

std::string warnings(const Contrast& contrast) {
  std::string text;
  for (const WarningCode code : contrast.warnings) {
    if (!text.empty()) text += ';';
    text += name_of(code);
  }
  return text;
}

constexpr auto kColumns = std::to_array<Column>({
    {"level_1", [](const Pair& pair) { return level(pair, pair.slope.first); }},
    {"level_2", [](const Pair& pair) { return level(pair, pair.slope.second); }},
    {"beta_1", [](const Pair& pair) { return beta(pair, pair.slope.first); }},
    {"beta_2", [](const Pair& pair) { return beta(pair, pair.slope.second); }},
    {"delta_beta", [](const Pair& pair) { return exact_text(pair.slope.delta_beta.estimate); }},
    {"se", [](const Pair& pair) { return exact_text(pair.slope.delta_beta.se); }},
    {"ci_lower", [](const Pair& pair) { return lower_text(pair.slope.delta_beta.ci); }},
    {"ci_upper", [](const Pair& pair) { return upper_text(pair.slope.delta_beta.ci); }},
    {"t", [](const Pair& pair) { return exact_text(pair.slope.delta_beta.t); }},
    {"dof", [](const Pair& pair) { return exact_text(pair.slope.delta_beta.dof); }},
    {"p", [](const Pair& pair) { return exact_text(pair.slope.delta_beta.p); }},
    {"p_holm", [](const Pair& pair) { return exact_text(pair.slope.p_holm); }},
    {"p_tost", [](const Pair& pair) { return exact_text(pair.slope.p_tost); }},
    {"equivalent",
     [](const Pair& pair) {
       const auto& equivalent = pair.slope.equivalent;
       return std::string(!equivalent ? "" : *equivalent ? "true" : "false");
     }},
    {"verdict", [](const Pair& pair) { return std::string(name_of(pair.slope.verdict)); }},
    {"alpha_ratio", [](const Pair& pair) { return exact_text(pair.offset.ratio); }},
    {"alpha_ratio_ci_lower", [](const Pair& pair) { return lower_text(pair.offset.ci); }},
    {"alpha_ratio_ci_upper", [](const Pair& pair) { return upper_text(pair.offset.ci); }},
    {"alpha_ratio_p", [](const Pair& pair) { return exact_text(pair.offset.log_ratio.p); }},
    {"alpha_ratio_p_holm", [](const Pair& pair) { return exact_text(pair.offset.p_holm); }},
    {"n", [](const Pair& pair) { return count(pair.contrast.n); }},
    {"levels", [](const Pair& pair) { return count(pair.contrast.levels.size()); }},
    {"equal_slopes_f",
     [](const Pair& pair) { return figure(pair.contrast.equal_slopes, &FTest::f); }},
    {"equal_slopes_df1",
     [](const Pair& pair) { return figure(pair.contrast.equal_slopes, &FTest::df1); }},
    {"equal_slopes_df2",
     [](const Pair& pair) { return figure(pair.contrast.equal_slopes, &FTest::df2); }},
    {"equal_slopes_p",
     [](const Pair& pair) { return figure(pair.contrast.equal_slopes, &FTest::p); }},
    {"equal_slopes_own_variances_chi_squared",
     [](const Pair& pair) {
       return figure(pair.contrast.equal_slopes_own_variances, &ChiSquaredTest::statistic);
     }},
    {"equal_slopes_own_variances_p",
     [](const Pair& pair) {
       return figure(pair.contrast.equal_slopes_own_variances, &ChiSquaredTest::p);
     }},
    {"equal_offsets_f",
     [](const Pair& pair) { return figure(pair.contrast.equal_offsets_given_slope, &FTest::f); }},
    {"equal_offsets_df2",
     [](const Pair& pair) { return figure(pair.contrast.equal_offsets_given_slope, &FTest::df2); }},
    {"equal_offsets_p",
     [](const Pair& pair) { return figure(pair.contrast.equal_offsets_given_slope, &FTest::p); }},
    {"equal_variances_p",
     [](const Pair& pair) { return figure(pair.contrast.equal_variances, &ChiSquaredTest::p); }},
    {"common_beta", [](const Pair& pair) { return exact_text(pair.contrast.common_beta.estimate); }},
    {"common_beta_se", [](const Pair& pair) { return exact_text(pair.contrast.common_beta.se); }},
    {"common_beta_ci_lower", [](const Pair& pair) { return lower_text(pair.contrast.common_beta.ci); }},
    {"common_beta_ci_upper", [](const Pair& pair) { return upper_text(pair.contrast.common_beta.ci); }},
    {"left_out", [](const Pair& pair) { return left_out(pair.contrast); }},
    {"warnings", [](const Pair& pair) { return warnings(pair.contrast); }},
    {"sentence", [](const Pair& pair) { return pair.sentence; }},
});

bool is_own_column(const std::string& name) {
  if (name == "status" || name == "code" || name == "message") return true;
  return is_column(kColumns, name);
}

/// Rows of one file.
class Rows {
 public:
  Rows(const ContrastReport& report, char separator, const TextSink& sink)
      : report_(report), rows_(separator, sink) {}

  void write_header() {
    for (const std::string& name : report_.study.by) {
      rows_.add(is_own_column(name) ? "group_" + name : name);
    }
    rows_.add("status");
    for (const Column& column : kColumns) rows_.add(column.name);
    rows_.add("code");
    rows_.add("message");
    rows_.end_row();
  }

  void write(const GroupKey& group, const Contrast& contrast) {
    const std::string sentence = contrast_sentence(report_, contrast);
    for (std::size_t i = 0; i < contrast.slopes.size(); ++i) {
      begin_row(group, "ok");
      const Pair pair{report_, contrast, sentence, contrast.slopes[i], contrast.offsets[i]};
      for (const Column& column : kColumns) rows_.add(column.text(pair));
      rows_.add("");
      rows_.add("");
      rows_.end_row();
    }
  }

  void write(const GroupKey& group, const NoFit& failure) {
    begin_row(group, "failed");
    for (std::size_t i = 0; i < kColumns.size(); ++i) rows_.add("");
    rows_.add(name_of(failure.code));
    rows_.add(failure.message);
    rows_.end_row();
  }

  void finish() { rows_.finish(); }

 private:
  void begin_row(const GroupKey& group, std::string_view status) {
    for (const std::string& value : group) rows_.add(value);
    rows_.add(status);
  }

  const ContrastReport& report_;
  DelimitedRows rows_;
};

}  // namespace

void write_contrast_rows(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                         char separator, const TextSink& sink) {
  Rows rows(report, separator, sink);
  rows.write_header();
  for (const GroupContrast& group : contrasts) {
    std::visit([&](const auto& result) { rows.write(group.group, result); }, group.result);
  }
  rows.finish();
}

}  // namespace scalelaw
