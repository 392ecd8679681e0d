// Rankings as CSV or TSV: one row a group and law, every digit of every number.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "render/delimited_rows.hpp"
#include "render/rank_writers.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// What a row shows: one law of one group.
struct Row {
  const GroupRanking& group;
  const RankedLaw& ranked;
  std::size_t place;

  const Ranking& ranking() const { return group.ranking; }
  const Fit* fit() const { return std::get_if<Fit>(&ranked.result); }
  const HeldOutLaw* held_out() const {
    if (!ranking().holdout) return nullptr;
    for (const HeldOutLaw& law : ranking().holdout->laws) {
      if (law.law == ranked.law) return &law;
    }
    return nullptr;
  }
};

template <class Test>
std::string p_of(const std::optional<Test>& test) {
  return test ? exact_text(test->p) : "";
}

std::string yes_or_no(const std::optional<bool>& value) {
  return !value ? "" : *value ? "true" : "false";
}

std::string undecided_laws(const Ranking& ranking) {
  std::string names;
  for (const Law* law : ranking.undecided) {
    if (!names.empty()) names += ';';
    names += law->name();
  }
  return names;
}

std::string verdict_of(const std::optional<ErrorsTest>& test) {
  if (!test) return "";
  return std::string(test->verdict ? name_of(*test->verdict) : "undecided");
}

struct RankColumn {
  std::string_view name;
  std::string (*text)(const Row& row);
};

constexpr auto kColumns = std::to_array<RankColumn>({
    {"n", [](const Row& row) { return fmt::to_string(row.ranking().n); }},
    {"distinct_x", [](const Row& row) { return fmt::to_string(row.ranking().distinct_x); }},
    {"x_min", [](const Row& row) { return exact_text(row.ranking().x_min); }},
    {"x_max", [](const Row& row) { return exact_text(row.ranking().x_max); }},
    {"place", [](const Row& row) { return fmt::to_string(row.place); }},
    {"law", [](const Row& row) { return std::string(row.ranked.law->name()); }},
    {"status", [](const Row& row) { return std::string(row.fit() != nullptr ? "ok" : "failed"); }},
    {"k", [](const Row& row) { return fmt::to_string(row.ranked.k); }},
    {"rss", [](const Row& row) { return row.fit() != nullptr ? exact_text(row.fit()->rss) : ""; }},
    {"aicc", [](const Row& row) { return exact_text(row.ranked.aicc); }},
    {"delta", [](const Row& row) { return exact_text(row.ranked.delta); }},
    {"weight", [](const Row& row) { return exact_text(row.ranked.weight); }},
    {"rmse",
     [](const Row& row) { return row.fit() != nullptr ? exact_text(row.fit()->rmse) : ""; }},
    {"mape",
     [](const Row& row) { return row.fit() != nullptr ? exact_text(row.fit()->mape) : ""; }},
    {"best",
     [](const Row& row) {
       return std::string(row.ranking().best != nullptr ? row.ranking().best->name() : "");
     }},
    {"undecided", [](const Row& row) { return undecided_laws(row.ranking()); }},
    {"curvature",
     [](const Row& row) {
       const auto& test = row.ranking().power_vs_lognormal;
       return test ? exact_text(test->curvature) : "";
     }},
    {"curvature_p", [](const Row& row) { return p_of(row.ranking().power_vs_lognormal); }},
    {"floor_p", [](const Row& row) { return p_of(row.ranking().power_vs_floor); }},
    {"break_p", [](const Row& row) { return p_of(row.ranking().power_vs_broken); }},
    {"errors", [](const Row& row) { return verdict_of(row.ranking().errors); }},
    {"holdout_x",
     [](const Row& row) { return row.held_out() ? exact_text(row.ranking().holdout->x) : ""; }},
    {"holdout_log_error",
     [](const Row& row) { return row.held_out() ? exact_text(row.held_out()->log_error) : ""; }},
    {"holdout_inside",
     [](const Row& row) { return row.held_out() ? yes_or_no(row.held_out()->inside) : ""; }},
    {"code",
     [](const Row& row) {
       return row.fit() != nullptr ? ""
                                   : std::string(name_of(std::get<NoFit>(row.ranked.result).code));
     }},
    {"message",
     [](const Row& row) {
       return row.fit() != nullptr ? "" : std::get<NoFit>(row.ranked.result).message;
     }},
    {"sentence", [](const Row& row) { return row.ranking().sentence; }},
});

/// A group column by its index, or one of kColumns.
struct ChosenColumn {
  std::string name;
  std::size_t group = 0;
  const RankColumn* column = nullptr;
};

std::vector<ChosenColumn> all_columns(const std::vector<std::string>& by) {
  std::vector<ChosenColumn> columns;
  for (std::size_t i = 0; i < by.size(); ++i) {
    const bool taken = std::any_of(kColumns.begin(), kColumns.end(),
                                   [&](const RankColumn& column) { return column.name == by[i]; });
    columns.push_back({.name = taken ? "group_" + by[i] : by[i], .group = i, .column = nullptr});
  }
  for (const RankColumn& column : kColumns) {
    columns.push_back({.name = std::string(column.name), .group = 0, .column = &column});
  }
  return columns;
}

std::vector<ChosenColumn> chosen_columns(const RankReport& report, const RankStyle& style) {
  const auto all = all_columns(report.by);
  if (style.columns.empty()) return all;
  std::vector<ChosenColumn> chosen;
  for (const std::string& name : style.columns) {
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const ChosenColumn& column) { return column.name == name; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const ChosenColumn& column : all) names.push_back(column.name);
      const auto near = nearest(name, names);
      throw DataError(fmt::format("--columns: no column '{}'{}; columns are: {}", name,
                                  near ? fmt::format(", did you mean '{}'?", *near) : "",
                                  joined(names)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

class DelimitedRankWriter final : public RankWriter {
 public:
  DelimitedRankWriter(const RankReport& report, const RankStyle& style, TextSink sink)
      : columns_(chosen_columns(report, style)),
        rows_(style.format == Format::kTsv ? '\t' : ',', std::move(sink)) {
    write_row([](const ChosenColumn& column) { return column.name; });
  }

  void write(const GroupRanking& group) override {
    for (std::size_t i = 0; i < group.ranking.laws.size(); ++i) {
      const Row row{group, group.ranking.laws[i], i + 1};
      write_row([&](const ChosenColumn& column) {
        return column.column != nullptr ? column.column->text(row) : group.group[column.group];
      });
    }
  }

  void finish() override { rows_.finish(); }

 private:
  void write_row(const auto& text_of) {
    for (const ChosenColumn& column : columns_) rows_.add(text_of(column));
    rows_.end_row();
  }

  std::vector<ChosenColumn> columns_;
  DelimitedRows rows_;
};

}  // namespace

std::unique_ptr<RankWriter> make_delimited_rank_writer(RankReport report, RankStyle style,
                                                       TextSink sink) {
  return std::make_unique<DelimitedRankWriter>(report, style, std::move(sink));
}

}  // namespace scalelaw
