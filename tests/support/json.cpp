#include "support/json.hpp"

#include <istream>

namespace scalelaw {

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }
nlohmann::json parse_json(std::istream& in) { return nlohmann::json::parse(in); }

}  // namespace scalelaw
