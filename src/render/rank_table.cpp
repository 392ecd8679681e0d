// Rankings as a table for people, with a sentence a group below it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "render/noted_table.hpp"
#include "render/rank_writers.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kSentences = 24;  ///< Of groups in full; the rest is counted.

std::string delta_text(const Ranking& ranking, const Law* law) {
  const auto found = std::find_if(ranking.laws.begin(), ranking.laws.end(),
                                  [law](const RankedLaw& ranked) { return ranked.law == law; });
  return found != ranking.laws.end() && found->delta ? fmt::format("{:.1f}", *found->delta) : "-";
}

/// One decimal and a sign, which -0.0 has not.
std::string signed_tenths(double value) {
  return fmt::format("{:+.1f}", std::round(10 * value) / 10 + 0.0);
}

template <class Test>
std::string p_of(const std::optional<Test>& test) {
  return test ? p_text(test->p) : "-";
}

std::string scatter_text(const std::optional<ErrorsTest>& test) {
  if (!test) return "-";
  if (!test->verdict) return "undecided";
  return *test->verdict == Errors::kLognormal ? "relative" : "absolute";
}

/// How far the mean at the greatest x lies from the curve without it; "!" outside the prediction
/// interval.
std::string hold_out_text(const Ranking& ranking) {
  const HeldOutLaw* held = telling_hold_out(ranking);
  if (held == nullptr) return "-";
  const double percent = 100 * std::expm1(held->log_error);
  return fmt::format("{} %{}", percent >= 1000 ? "> 1000" : signed_tenths(percent),
                     held->inside.value_or(true) ? "" : " !");
}

std::vector<TableColumn> columns_of(const RankReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.by) columns.push_back({.header = name});
  columns.push_back({.header = "n", .align = Align::kRight});
  columns.push_back({.header = "best"});
  for (const Law* law : ranked_laws(report.options)) {
    columns.push_back({.header = std::string(law->name()), .align = Align::kRight});
  }
  for (const char* name : {"p bend", "p floor", "p break"}) {
    columns.push_back({.header = name, .align = Align::kRight});
  }
  columns.push_back({.header = "scatter"});
  columns.push_back({.header = "held out", .align = Align::kRight});
  return columns;
}

class TableRankWriter final : public RankWriter {
 public:
  TableRankWriter(RankReport report, RankStyle style, TextSink sink)
      : report_(std::move(report)),
        style_(std::move(style)),
        table_(columns_of(report_)),
        sink_(std::move(sink)) {}

  void write(const GroupRanking& group) override {
    const Ranking& ranking = group.ranking;
    if (group.group.size() > 1 && group.group.front() != part_) table_.begin_part();
    if (!group.group.empty()) part_ = group.group.front();
    std::vector<std::string> cells(group.group.begin(), group.group.end());
    cells.push_back(fmt::to_string(ranking.n));
    cells.emplace_back(ranking.best != nullptr      ? ranking.best->name()
                       : !ranking.undecided.empty() ? "undecided"
                                                    : "-");
    for (const Law* law : ranked_laws(report_.options)) cells.push_back(delta_text(ranking, law));
    cells.push_back(p_of(ranking.power_vs_lognormal));
    cells.push_back(p_of(ranking.power_vs_floor));
    cells.push_back(p_of(ranking.power_vs_broken));
    cells.push_back(scatter_text(ranking.errors));
    cells.push_back(hold_out_text(ranking));
    table_.add_row(cells);
    const bool is_ranked = ranking.best != nullptr || !ranking.undecided.empty();
    std::vector<std::string>& notes = is_ranked ? notes_ : unranked_notes_;
    ++groups_;
    if (notes.size() == kSentences) return;
    notes.push_back(group_name(report_.by, group.group) + ": " + ranking.sentence);
  }

  void finish() override {
    const std::size_t room = std::min(kSentences - notes_.size(), unranked_notes_.size());
    std::move(unranked_notes_.begin(), unranked_notes_.begin() + static_cast<std::ptrdiff_t>(room),
              std::back_inserter(notes_));
    if (const std::size_t more = groups_ - notes_.size(); more > 0) {
      notes_.push_back(
          fmt::format("{} more groups; --format csv or json has their sentences.", more));
    }
    const std::string caption = fmt::format(
        "By law: AICc above the best one's, undecided below 2; held out: the largest {} against "
        "the "
        "curve without it, ! outside its prediction interval. x: {}, y: {}",
        report_.x, report_.x, report_.y);
    write_noted_table(table_, caption, notes_, style_.format, style_.colour, sink_);
  }

 private:
  RankReport report_;
  RankStyle style_;
  TextTable table_;
  TextSink sink_;
  std::string part_;
  std::vector<std::string> notes_;
  std::vector<std::string> unranked_notes_;  ///< Of groups without a verdict, which say less.
  std::size_t groups_ = 0;
};

}  // namespace

std::unique_ptr<RankWriter> make_table_rank_writer(RankReport report, RankStyle style,
                                                   TextSink sink) {
  return std::make_unique<TableRankWriter>(std::move(report), std::move(style), std::move(sink));
}

}  // namespace scalelaw
