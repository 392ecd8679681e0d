#pragma once

#include <string>

#include "documents/json_parts.hpp"
#include "scalelaw/render/caps_report.hpp"

namespace scalelaw {

/// What a comparison recommends, as caps_sentence() says it of the average, without the capital
/// letter: "at 200 W, runs take 17 % less energy (95 %: 15 to 20) for ...".
std::string comparison_words(const CapsReport& report, const SettingComparison& comparison,
                             const std::string& reference);

/// The members of advice, which all documents share.
void write_advice(JsonText& json, const SettingAdvice& advice);

/// The scales of a comparison: "424 GPUs" of one, "2 to 424 GPUs" of an average; empty where there
/// is no scale.
/// @param x  The column of the scale.
std::string scales_compared(const std::string& x, const SettingComparison& comparison);

}  // namespace scalelaw
