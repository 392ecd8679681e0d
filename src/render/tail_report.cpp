#include "scalelaw/render/tail_report.hpp"

#include <fmt/format.h>

#include "render/delimited_rows.hpp"
#include "render/tail_writers.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// "the log-normal and the exponential"; empty if none compares so.
std::string models_that_are(const Tail& tail, TailComparison comparison) {
  std::vector<std::string> names;
  for (const TailAlternative& one : tail.alternatives) {
    if (one.comparison == comparison) names.push_back("the " + std::string(words_of(one.model)));
  }
  if (names.size() < 2) return joined(names);
  const std::string last = names.back();
  names.pop_back();
  return joined(names) + " and " + last;
}

/// How the other shapes compare, as a clause.
std::string comparisons_text(const Tail& tail) {
  std::vector<std::string> clauses;
  const auto add = [&](TailComparison comparison, std::string_view singular,
                       std::string_view plural) {
    const std::string names = models_that_are(tail, comparison);
    if (names.empty()) return;
    const bool several = names.find(" and ") != std::string::npos;
    clauses.push_back(fmt::format("{} {}", names, several ? plural : singular));
  };
  add(TailComparison::kBetter, "fits better", "fit better");
  add(TailComparison::kUndecided, "fits as well", "fit as well");
  add(TailComparison::kWorse, "fits worse", "fit worse");
  return joined(clauses, "; ");
}

std::string verdict_text(const Tail& tail) {
  switch (tail.verdict) {
    case TailVerdict::kSupported:
      return "a power law is plausible, and no other shape that was tried is";
    case TailVerdict::kPlausible:
      return "a power law is plausible, but not the only shape that is";
    case TailVerdict::kWithCutOff:
      return "a power law is plausible, but one with an exponential cut-off fits better";
    case TailVerdict::kOtherBetter:
      return "a power law is plausible by itself, but another shape fits better";
    case TailVerdict::kImplausible:
      return "no power law: samples of one are rarely as far from it";
    case TailVerdict::kUntested:
      return "whether a power law is plausible was not tested (--bootstrap 0)";
    case TailVerdict::kTooFewValues:
      break;
  }
  return fmt::format("too few tail values to tell: {}, at least {} are needed", tail.tail_n,
                     kFewTailValues);
}

}  // namespace

std::string_view words_of(TailModel model) {
  switch (model) {
    case TailModel::kLognormal:
      return "log-normal";
    case TailModel::kExponential:
      return "exponential";
    case TailModel::kStretched:
      return "stretched exponential";
    case TailModel::kTruncated:
      break;
  }
  return "truncated power law";
}

std::string tail_sentence(const Tail& tail) {
  std::string text = verdict_text(tail);
  if (tail.p) text += fmt::format(" (p {})", p_relation(*tail.p));
  if (tail.verdict == TailVerdict::kTooFewValues) return text;
  text += "; " + comparisons_text(tail);
  if (tail.tail_n < 2 * kFewTailValues) {
    text += fmt::format("; with {} tail values little can be told apart", tail.tail_n);
  }
  return text;
}

void write_tails(const TailReport& report, std::span<const GroupTail> groups, Format format,
                 bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_tail_json(report, groups, sink);
    case Format::kJsonl:
      return write_tail_jsonl(report, groups, sink);
    case Format::kCsv:
    case Format::kTsv:
      return write_tail_rows(report, groups, separator_of(format), sink);
    case Format::kTable:
    case Format::kMarkdown:
    case Format::kLatex:
    case Format::kHtml:
      break;
  }
  write_tail_table(report, groups, format, colour, sink);
}

}  // namespace scalelaw
