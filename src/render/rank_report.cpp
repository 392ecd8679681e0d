#include "scalelaw/render/rank_report.hpp"

#include "render/rank_writers.hpp"

namespace scalelaw {

bool shows_parameters(Format format) { return format == Format::kJson || format == Format::kJsonl; }

std::unique_ptr<RankWriter> make_rank_writer(RankReport report, RankStyle style, TextSink sink) {
  switch (style.format) {
    case Format::kJson:
    case Format::kJsonl:
      return make_json_rank_writer(std::move(report), style.format, std::move(sink));
    case Format::kCsv:
    case Format::kTsv:
      return make_delimited_rank_writer(std::move(report), std::move(style), std::move(sink));
    default:
      return make_table_rank_writer(std::move(report), std::move(style), std::move(sink));
  }
}

std::string render_rankings(const RankReport& report, std::span<const GroupRanking> rankings,
                            const RankStyle& style) {
  std::string text;
  const auto writer =
      make_rank_writer(report, style, [&text](std::string_view piece) { text += piece; });
  for (const GroupRanking& ranking : rankings) writer->write(ranking);
  writer->finish();
  return text;
}

}  // namespace scalelaw
