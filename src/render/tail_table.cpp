// Tails as a table for people: a row a group, and below what each group's numbers mean.

#include <fmt/format.h>

#include "render/noted_table.hpp"
#include "render/tail_writers.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kGroupsExplained = 20;
constexpr std::string_view kUndefined = "-";

std::vector<TableColumn> columns_of(const TailReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.study.by) columns.push_back({.header = name});
  const std::string interval = fmt::format("{:.6g} % interval", 100 * report.options.confidence);
  for (const std::string& header :
       {std::string("n"), std::string("in tail"), std::string("x_min"), interval,
        std::string("alpha"), std::string("± SE"), interval, std::string("KS"), std::string("p")}) {
    columns.push_back({.header = header, .align = Align::kRight});
  }
  columns.push_back({.header = "power law"});
  return columns;
}

std::string interval_text(const std::optional<Interval>& ci, int digits) {
  if (!ci) return std::string(kUndefined);
  return fmt::format("{} .. {}", with_significant_digits(ci->lower, digits),
                     with_significant_digits(ci->upper, digits));
}

std::vector<std::string> cells_of(const GroupKey& group, const Tail& tail) {
  const RoundedEstimate alpha = rounded(tail.alpha, tail.alpha_se);
  std::vector<std::string> cells = group;
  cells.push_back(std::to_string(tail.n));
  cells.push_back(std::to_string(tail.tail_n));
  cells.push_back(scale_text(tail.x_min));
  cells.push_back(interval_text(tail.x_min_ci, 4));
  cells.push_back(alpha.estimate);
  cells.push_back(alpha.se);
  cells.push_back(interval_text(tail.alpha_ci, 3));
  cells.push_back(with_significant_digits(tail.distance, 3));
  cells.push_back(tail.p ? p_text(*tail.p) : std::string(kUndefined));
  cells.emplace_back(name_of(tail.verdict));
  return cells;
}

/// "log-normal -0.42 (p 0.68)"; "truncated power law LR -0.38 (p 0.19)".
std::string alternative_text(const TailAlternative& one) {
  const std::string name(words_of(one.model));
  if (!one.p) return name + " no closer than its limit, the power law";
  const bool nested = one.model == TailModel::kTruncated;
  const double figure = nested ? one.log_ratio : *one.normalised;
  return fmt::format("{} {}{}{} (p {})", name, nested ? "log ratio " : "", figure > 0 ? "+" : "",
                     with_significant_digits(figure, 3), p_relation(*one.p));
}

std::string alternatives_text(const Tail& tail) {
  std::vector<std::string> texts;
  for (const TailAlternative& one : tail.alternatives) texts.push_back(alternative_text(one));
  return "against it (> 0 favours the power law): " + joined(texts, "; ");
}

/// Collects rows and notes, then writes.
class TailTable {
 public:
  explicit TailTable(const TailReport& report) : report_(report), table_(columns_of(report)) {}

  void add(const GroupKey& group, const Tail& tail) {
    table_.add_row(cells_of(group, tail));
    if (++explained_ > kGroupsExplained) return;
    const std::string name = group_name(report_.study.by, group);
    notes_.push_back(fmt::format("{}: {}", name, tail_sentence(tail)));
    notes_.push_back("  " + alternatives_text(tail));
  }

  void add(const GroupKey& group, const NoFit& failure) {
    failures_.add(report_.study.by, group, failure);
  }

  void write(Format format, bool colour, const TextSink& sink) {
    std::vector<std::string> lines = notes_;
    if (explained_ > kGroupsExplained) {
      lines.push_back(fmt::format("{} more groups; --format csv and json explain them all",
                                  explained_ - kGroupsExplained));
    }
    failures_.append_to(lines);
    write_noted_table(table_, caption(), lines, format, colour, sink);
  }

 private:
  std::string caption() const {
    const TailOptions& options = report_.options;
    const std::string draws = options.draws == 0
                                  ? "no draws"
                                  : fmt::format("{} draws, seed {}", options.draws, options.seed);
    return fmt::format("p(x) ~ x^-alpha for x >= x_min, {} values, x: {}; x_min {}, {}",
                       options.discrete ? "whole" : "continuous", report_.study.y,
                       options.x_min ? "given" : "by the least KS distance", draws);
  }

  const TailReport& report_;
  TextTable table_;
  std::vector<std::string> notes_;
  FailedGroups failures_{"tail"};
  std::size_t explained_ = 0;
};

}  // namespace

void write_tail_table(const TailReport& report, std::span<const GroupTail> groups, Format format,
                      bool colour, const TextSink& sink) {
  TailTable table(report);
  for (const GroupTail& group : groups) {
    std::visit([&](const auto& result) { table.add(group.group, result); }, group.result);
  }
  table.write(format, colour, sink);
}

}  // namespace scalelaw
