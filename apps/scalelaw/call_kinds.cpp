#include "call_kinds.hpp"

#include <string>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/law.hpp"

namespace scalelaw::cli {
namespace {

/// The law of the saved fits that a call reads; null if it reads none, or several.
const Law* law_of_saved(const CallOptions& call) {
  const auto inputs = call.given.find("INPUT");
  if (inputs == call.given.end() || inputs->second.size() != 1) return nullptr;
  const std::string& path = inputs->second.front();
  return holds_saved_fits(path) ? read_fits(path).law : nullptr;
}

}  // namespace

CallKind several_x() {
  return {"a law of several x", [](const CallOptions& call) -> std::optional<KindFound> {
            if (!call.usual.contains("--law")) return std::nullopt;
            const Law* law = law_of_saved(call);
            if (law == nullptr) law = find_law(call.value("--law"));
            const std::string name(law == nullptr ? call.value("--law") : law->name());
            const std::string kind = call.value("KIND");
            const bool of_figure = kind == "surface" || kind == "isoflop";
            return KindFound{of_figure || (law != nullptr && law->inputs() > 1), name};
          }};
}

CallKind fitted_to_y() {
  return {"a law that is fitted to y itself",
          [](const CallOptions& call) -> std::optional<KindFound> {
            const Law* const law = find_law(call.value("--law"));
            if (law == nullptr) return std::nullopt;
            return KindFound{law->scale() == Scale::kOriginal, std::string(law->name())};
          }};
}

}  // namespace scalelaw::cli
