#include "input/decimal_sign.hpp"

namespace scalelaw {

std::optional<char> decimal_sign_in(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == ',' || c == '-';
  };
  bool point = false;
  bool comma = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    const std::size_t begin = at;
    while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == ',')) ++at;
    std::string_view number = text.substr(begin, at - begin);
    while (!is_digit(number.back())) number.remove_suffix(1);
    const std::size_t sign = number.find_first_of(".,");
    if (sign == number.npos || number.find_first_of(".,", sign + 1) != number.npos) continue;
    if (begin > 0 && is_word(text[begin - 1])) continue;  // "v1.2", "Qwen2.5".
    if (number.size() - sign == 4) continue;              // "1,234" may be either.
    (number[sign] == '.' ? point : comma) = true;
  }
  if (point == comma) return std::nullopt;
  return point ? '.' : ',';
}

}  // namespace scalelaw
