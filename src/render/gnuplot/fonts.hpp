#pragma once

#include <string_view>

namespace scalelaw {

/// Refuses text of a figure with characters that no font of this machine has: cairo would draw each
/// as a box of its own size, over the whole figure, or leave all letters out. Where fontconfig's
/// fc-list is not found, nobody knows what fonts have, and characters beyond Latin and Greek are
/// refused.
/// @throws DataError with the characters and the ways out.
void refuse_what_no_font_has(std::string_view text);

}  // namespace scalelaw
