#pragma once

#include <string>
#include <string_view>

namespace scalelaw {

/// A string of gnuplot's. What could end it, be replaced or be run (backquotes, @) is written as an
/// octal escape; single quotes would need none, but gnuplot 5.4 misreads one that begins with a
/// quote.
std::string gnuplot_text(std::string_view text);

/// `text` cut to so many columns of a terminal, with an ellipsis where something is missing.
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace scalelaw
