// Tails as JSON (schema scalelaw.tail/1) and as JSON lines.

#include "render/group_json.hpp"
#include "render/tail_writers.hpp"

namespace scalelaw {
namespace {

void write_alternative(JsonText& json, const TailAlternative& alternative) {
  json.open('{');
  json.key("model").text(name_of(alternative.model));
  json.key("parameters").open('{');
  for (const TailParameter& parameter : alternative.parameters) {
    json.key(parameter.name).number(parameter.value);
  }
  json.close('}');
  json.key("log_likelihood").number(alternative.log_likelihood);
  json.key("log_ratio").number(alternative.log_ratio);
  json.key("normalised").number(alternative.normalised);
  json.key("p").number(alternative.p);
  json.key("at_limit").boolean(alternative.at_limit);
  json.key("comparison").text(name_of(alternative.comparison));
  json.close('}');
}

void write_alpha(JsonText& json, const Tail& tail) {
  json.open('{');
  json.key("estimate").number(tail.alpha);
  json.key("se").number(tail.alpha_se);
  json.key("bootstrap_se").number(tail.alpha_bootstrap_se);
  write_interval(json.key("ci"), tail.alpha_ci);
  json.close('}');
}

void write_tail(JsonText& json, const TailReport& report, const GroupKey& group, const Tail& tail) {
  json.open('{');
  write_group(json.key("group"), report.study.by, group);
  json.key("n").count(std::uint64_t{tail.n});
  json.key("distinct").count(std::uint64_t{tail.distinct});
  json.key("x_max").number(tail.x_max);
  json.key("x_min").open('{');
  json.key("estimate").number(tail.x_min);
  write_interval(json.key("ci"), tail.x_min_ci);
  json.close('}');
  json.key("tail_n").open('{');
  json.key("estimate").count(std::uint64_t{tail.tail_n});
  write_interval(json.key("ci"), tail.tail_n_ci);
  json.close('}');
  write_alpha(json.key("alpha"), tail);
  json.key("ks").number(tail.distance);
  json.key("log_likelihood").number(tail.log_likelihood);
  json.key("p").number(tail.p);
  json.key("usable_draws").count(std::uint64_t{tail.usable});
  json.key("alternatives").open('[');
  for (const TailAlternative& one : tail.alternatives) write_alternative(json, one);
  json.close(']');
  json.key("verdict").text(name_of(tail.verdict));
  json.key("sentence").text(tail_sentence(tail));
  json.close('}');
}

void write_head(std::string& out, const TailReport& report) {
  JsonHead head(out);
  const TailOptions& options = report.options;
  write_data(head, "scalelaw.tail/1", report.study);
  JsonText run = head.member("run");
  report.study.run.empty() ? run.null() : run.text(report.study.run);
  head.member("discrete").boolean(options.discrete);
  head.member("given_x_min").number(options.x_min);
  head.member("confidence").number(options.confidence);
  head.member("draws").count(std::uint64_t{options.draws});
  head.member("seed").count(options.seed);
  write_rows(head, report.study);
}

}  // namespace

void write_tail_json(const TailReport& report, std::span<const GroupTail> groups,
                     const TextSink& sink) {
  BufferedText out(sink);
  write_head(out.text(), report);
  write_groups<Tail>(out, "tails", report.study.by, groups,
                     [&](JsonText& json, const GroupKey& group, const Tail& tail) {
                       write_tail(json, report, group, tail);
                     });
}

void write_tail_jsonl(const TailReport& report, std::span<const GroupTail> groups,
                      const TextSink& sink) {
  write_group_lines<Tail>(report.study.by, groups, sink,
                          [&](JsonText& json, const GroupKey& group, const Tail& tail) {
                            write_tail(json, report, group, tail);
                          });
}

}  // namespace scalelaw
