#pragma once

#include <string_view>

namespace scalelaw {

/// Refuses text of a figure with characters that no font of this machine has: cairo would draw each
/// as a box of its own size, over the whole figure. Where fontconfig's fc-list is not found, nobody
/// knows, and nothing is refused.
/// @throws DataError with the characters and the ways out.
void refuse_what_no_font_has(std::string_view text);

}  // namespace scalelaw
