// What recipes save, in every format: JSON (schema scalelaw.savings/1), and one row per pair.

#include "scalelaw/render/savings_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/reader_words.hpp"
#include "render/result_writer.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// A pair with the names of its recipes, and figures of their ratio.
struct SavingRow {
  std::string first;
  std::string second;
  double at;
  const SavingPair* pair;
};

/// "loss"; else the name of the column.
std::string response_noun_of(const SavingsReport& report) {
  return report.quantity.kind == Kind::kLoss ? "loss" : report.y;
}

/// What is saved: "flops", "GPUs", "compute" for a product of two scales.
std::string scale_noun(const SavingsReport& report) {
  if (report.scales.size() != 2) {
    return unit_of_scale(report.x).empty() ? report.x : units_of_scale(report.x);
  }
  return report.flops_per_parameter_token == 1 ? "product" : "compute";
}

double ratio_of(const Estimate& estimate) { return std::exp(estimate.estimate); }

std::optional<Interval> interval_of(const Estimate& estimate) {
  return estimate.ci ? std::optional(exp_of(*estimate.ci)) : std::nullopt;
}

std::string ratio_text(const Estimate& estimate, const SavingsReport& report) {
  std::string text = with_significant_digits(ratio_of(estimate), 3);
  const auto ci = interval_of(estimate);
  if (!ci) return text + " times";
  return fmt::format("{} times ({}: {} to {})", text, percent_text(report.options.fit.confidence),
                     with_significant_digits(ci->lower, 3), with_significant_digits(ci->upper, 3));
}

void write_ratio(JsonText& json, const Estimate& estimate) {
  json.key("ratio").number(std::exp(estimate.estimate));
  json << Members{{"ci", interval_of(estimate)}, {"log_ratio", estimate.estimate}};
  write_numbers(json, {{"se", estimate.se}, {"dof", estimate.dof}, {"p", estimate.p}});
}

class SavingsDescription final : public Description<SavingsReport, Savings, SavingRow> {
 public:
  explicit SavingsDescription(const SavingsReport& report)
      : Description(report,
                    {.noun = "contrast", .schema = "scalelaw.savings/1", .list = "savings"}) {}

  void write_head(JsonText& head) const override {
    write_data(head, report_);
    const FitOptions& fit = report_.options.fit;
    head << HeadMembers{
        {"factors", report_.factors}, {"law", fit.law->name()}, {"confidence", fit.confidence}};
    write_rows(head, report_);
  }
  void write_members(JsonText& json, const Savings& savings) const override {
    json.key("at").number(savings.at);
    write_object(json.key("common"), *savings.sharing, [](JsonText& members, const Sharing& joint) {
      write_each(members.key("parameters"), joint.parameters,
                 [](JsonText& list, const Parameter& parameter) { list.text(parameter.name); });
      members << Members{{"dof", joint.dof}, {"aicc", joint.aicc}};
      write_object(members.key("test"), joint.test, [](JsonText& test, const SharingTest& found) {
        write_numbers(test,
                      {{"f", found.f}, {"df1", found.df1}, {"df2", found.df2}, {"p", found.p}});
      });
    });
    write_objects(json.key("pairs"), savings.pairs, [&](JsonText& members, const SavingPair& pair) {
      write_each(members.key("levels"), std::array{pair.first, pair.second},
                 [&](JsonText& list, std::size_t recipe) {
                   write_group(list, report_.factors, savings.recipes[recipe]);
                 });
      write_object(members.key("common"), pair.common, write_ratio);
      write_object(members.key("separate"), pair.separate, write_ratio);
    });
    write_objects(json.key("omitted"), savings.omitted,
                  [&](JsonText& members, const OmittedLevel& level) {
                    write_group(members.key("level"), report_.factors, level.level);
                    members << Members{{"code", level.code}, {"message", level.message}};
                  });
  }

  Sheet<SavingRow> sheet(Format) const override {
    Sheet<SavingRow> sheet(report_.by);
    const std::string noun = scale_noun(report_);
    const std::string level = percent_text(report_.options.fit.confidence) + " interval";
    sheet.add_status();
    sheet.add("first", &SavingRow::first).key().titled("from");
    sheet.add("second", &SavingRow::second).key().titled("to");
    const auto add = [&](const std::string& name, std::optional<Estimate> SavingPair::*part,
                         const std::string& title) {
      const auto log_ratio = sheet.part(&SavingRow::pair).part(part);
      log_ratio.add(name, ratio_of).as(significant(3)).titled(title);
      log_ratio.interval(name + "_ci", interval_of).titled(level);
      log_ratio.add(name + "_p", &Estimate::p).as(p_value());
    };
    add("common_ratio", &SavingPair::common, noun + ", common shape");
    add("separate_ratio", &SavingPair::separate, "separate laws");
    sheet.add("at", &SavingRow::at).as(significant(4)).titled("at " + response_noun_of(report_));
    sheet.add_failure();
    return sheet;
  }
  void add_rows(SheetWriter& rows, const GroupKey& group, const Savings& savings) const override {
    for (const SavingPair& pair : savings.pairs) {
      rows.add(group, SavingRow{joined(savings.recipes[pair.first]),
                                joined(savings.recipes[pair.second]), savings.at, &pair});
    }
  }

  std::vector<std::string> answer_on(const GroupKey&, const Savings& savings) const override {
    constexpr std::size_t kMostSentences = 3;
    std::vector<std::string> sentences;
    const bool refuted = savings.sharing->is_refuted();
    for (const SavingPair& pair : savings.pairs) {
      const auto& ratio = refuted ? pair.separate : pair.common;
      if (!ratio || sentences.size() == kMostSentences) continue;
      const std::string place = refuted ? fmt::format("At {} = {}", response_noun_of(report_),
                                                      with_significant_digits(savings.at, 4))
                                        : "For the same " + response_noun_of(report_);
      sentences.push_back(fmt::format(
          "{} {} needs {} the {} of {}.", place, joined(savings.recipes[pair.second]),
          ratio_text(*ratio, report_), scale_noun(report_), joined(savings.recipes[pair.first])));
    }
    sentences.push_back(test_sentence(*savings.sharing));
    return sentences;
  }

  void explain(Notes& lines, const GroupKey&, const Savings& savings) override {
    for (const OmittedLevel& level : savings.omitted) {
      lines.add(fmt::format("  left out: {}: {} ({})", joined(level.level), level.message,
                            name_of(level.code)));
    }
  }
  std::string caption() const override {
    return fmt::format("{} that the second needs over that of the first for the same {}",
                       scale_noun(report_), response_noun_of(report_));
  }

 private:
  static std::string test_sentence(const Sharing& sharing) {
    std::vector<std::string> names;
    for (const Parameter& parameter : sharing.parameters) names.emplace_back(parameter.name);
    const std::string shape = joined(names);
    if (!sharing.test) {
      return fmt::format("Whether a common {} is allowed was not tested: {}.", shape,
                         sharing.untested);
    }
    const SharingTest& test = *sharing.test;
    const std::string figures =
        fmt::format("(F({:g}, {:g}) = {:.3g}, {})", test.df1, test.df2, test.f,
                    test.p < 1e-4 ? "p < 0.0001" : fmt::format("p = {:.2g}", test.p));
    return sharing.is_refuted()
               ? fmt::format(
                     "The runs speak against a common {} {}, so the ratio depends on where "
                     "it is taken.",
                     shape, figures)
               : fmt::format("The runs do not speak against a common {} {}.", shape, figures);
  }
};

}  // namespace

void write_savings(const SavingsReport& report, std::span<const GroupSavings> groups,
                   const TableStyle& style, const TextSink& sink) {
  write_results(SavingsDescription(report), groups, style, sink);
}

}  // namespace scalelaw
