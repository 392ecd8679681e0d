#pragma once

#include <string>

namespace scalelaw {

/// Three digits, with a power of ten if the number is large: such scales span decades.
std::string scale_digits(double value);

/// A value of a scale with its noun: "7B parameters", "8 GPUs", "width = 512".
std::string size_text(const std::string& column, double value);

/// "the loss", "the time of an epoch"; else the name of the column.
std::string response_noun(const std::string& y);

/// "0.42 %", of an error in ln y.
std::string relative_error_text(double log_error);

}  // namespace scalelaw
