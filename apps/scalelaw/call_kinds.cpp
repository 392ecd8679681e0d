// Kinds of calls that rules of several commands are about.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/law.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

/// The saved fits among the inputs of a call; empty if it reads none.
std::vector<std::string> saved_inputs_of(const CallOptions& call) {
  const auto inputs = call.given.find("INPUT");
  std::vector<std::string> saved;
  if (inputs == call.given.end()) return saved;
  std::ranges::copy_if(inputs->second, std::back_inserter(saved), holds_saved_fits);
  return saved;
}

/// The law of the saved fits that a call reads; null if it reads none, or several.
const Law* law_of_saved(const CallOptions& call) {
  const std::vector<std::string> saved = saved_inputs_of(call);
  return saved.size() == 1 ? read_fits(saved.front()).law : nullptr;
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

CallKind saved_fits() {
  return {"saved fits", [](const CallOptions& call) -> std::optional<KindFound> {
            const std::vector<std::string> saved = saved_inputs_of(call);
            return KindFound{!saved.empty(), saved.empty() ? "" : saved.front()};
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
