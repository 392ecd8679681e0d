#pragma once

#include <memory>

#include "render/buffered_text.hpp"
#include "scalelaw/render/rank_report.hpp"

namespace scalelaw {

// One writer a family of formats; make_rank_writer chooses.
std::unique_ptr<RankWriter> make_json_rank_writer(RankReport report, Format format, TextSink sink);
std::unique_ptr<RankWriter> make_delimited_rank_writer(RankReport report, RankStyle style,
                                                       TextSink sink);
std::unique_ptr<RankWriter> make_table_rank_writer(RankReport report, RankStyle style,
                                                   TextSink sink);

}  // namespace scalelaw
