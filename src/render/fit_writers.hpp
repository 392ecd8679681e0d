#pragma once

#include <memory>

#include "render/buffered_text.hpp"
#include "scalelaw/render/fit_report.hpp"

namespace scalelaw {

// One writer a family of formats; make_fit_writer chooses.
std::unique_ptr<FitWriter> make_json_fit_writer(FitReport report, TextSink sink);
std::unique_ptr<FitWriter> make_jsonl_fit_writer(FitReport report, TextSink sink);
std::unique_ptr<FitWriter> make_delimited_fit_writer(const FitReport& report, const FitStyle& style,
                                                     TextSink sink);
std::unique_ptr<FitWriter> make_table_fit_writer(FitReport report, FitStyle style, TextSink sink);

}  // namespace scalelaw
