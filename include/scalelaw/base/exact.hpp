#pragma once

#include <string>

namespace scalelaw {

/// Appends the shortest decimal that reads back as the same double; the text of fmt's "{}".
void append_exact(std::string& out, double value);

}  // namespace scalelaw
