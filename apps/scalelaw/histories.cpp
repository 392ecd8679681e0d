#include "histories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/read_fits.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::cli {
namespace {

struct KeptDocument {
  KeptFits kept;
  SavedFits fits;
};

std::vector<KeptDocument> documents_of(const HistoryOptions& options) {
  if (options.store.empty()) throw DataError("history: name a study store");
  if (!is_study_store(options.store)) {
    throw DataError(fmt::format("{}: no study store of that name", options.store));
  }
  const StudyStore store(options.store, StudyStore::Access::kRead);
  const auto label = options.label.empty() ? std::nullopt : std::optional(options.label);
  std::vector<KeptDocument> documents;
  store.for_each_fits(label, [&](const KeptFits& kept, const std::string& text) {
    const std::string source = fmt::format("{}@{} of {}", options.store, kept.label, kept.kept_at);
    documents.push_back({kept, parse_fits(text, source)});
  });
  if (!documents.empty()) return documents;
  throw DataError(fmt::format(
      "{}: keeps no fits{}; 'scalelaw fit --store {} --keep LABEL' keeps "
      "some",
      options.store, label ? fmt::format(" with the label '{}'", *label) : "", options.store));
}

bool is_comparable(const SavedFits& a, const SavedFits& b) {
  return a.x == b.x && a.y == b.y && a.by == b.by && a.law == b.law && a.response == b.response &&
         a.errors == b.errors;
}

/// The newest document with the group columns that were asked for.
const SavedFits& model_of(const std::vector<KeptDocument>& documents,
                          const HistoryOptions& options) {
  const std::vector<std::string> by = split(options.by, ',');
  for (auto document = documents.rbegin(); document != documents.rend(); ++document) {
    if (options.by.empty() || document->fits.by == by) return document->fits;
  }
  throw DataError(fmt::format("{}: no fits by {}; the newest are by {}", options.store, joined(by),
                              joined(documents.back().fits.by)));
}

std::optional<HistoryPoint> point_of(const KeptFits& kept, const GroupFit& group,
                                     const HistoryOptions& options) {
  const Fit* fit = std::get_if<Fit>(&group.result);
  if (fit == nullptr) return std::nullopt;
  const auto found =
      std::find_if(fit->parameters.begin(), fit->parameters.end(),
                   [&](const Parameter& one) { return one.name == options.parameter; });
  if (found == fit->parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& one : fit->parameters) names.emplace_back(one.name);
    throw DataError(fmt::format("the law {} has no parameter '{}'; it has: {}", fit->law->name(),
                                options.parameter, joined(names)));
  }
  return HistoryPoint{kept.label,      kept.kept_at,
                      found->estimate, found->se,
                      found->ci,       found->dof ? *found->dof : static_cast<double>(fit->dof)};
}

/// Groups in their order, those of earlier documents first.
std::vector<GroupHistory> series_of(const std::vector<const KeptDocument*>& documents,
                                    const HistoryOptions& options) {
  std::vector<GroupHistory> groups;
  std::map<GroupKey, std::size_t> places;
  for (const KeptDocument* document : documents) {
    for (const GroupFit& group : document->fits.groups) {
      auto point = point_of(document->kept, group, options);
      if (!point) continue;
      const auto [place, is_new] = places.try_emplace(group.group, groups.size());
      if (is_new) groups.push_back({group.group, {}, {}});
      groups[place->second].points.push_back(std::move(*point));
    }
  }
  return groups;
}

}  // namespace

std::pair<HistoryReport, std::vector<GroupHistory>> read_history(const HistoryOptions& options) {
  const std::vector<KeptDocument> documents = documents_of(options);
  const SavedFits& model = model_of(documents, options);
  std::vector<const KeptDocument*> comparable;
  for (const KeptDocument& document : documents) {
    if (is_comparable(document.fits, model)) comparable.push_back(&document);
  }
  HistoryReport report{.store = options.store,
                       .x = model.x,
                       .y = model.y,
                       .by = model.by,
                       .law = model.law->name(),
                       .parameter = options.parameter,
                       .confidence = options.confidence,
                       .options = options.change,
                       .warnings = {}};
  if (comparable.size() < documents.size()) {
    report.warnings.push_back(
        fmt::format("{} of {} kept fits have other columns or another law than the newest and were "
                    "left out",
                    documents.size() - comparable.size(), documents.size()));
  }
  std::vector<GroupHistory> groups = series_of(comparable, options);
  for (GroupHistory& group : groups) {
    group.change =
        change_point(group.points, options.change, stable_hash(joined(group.group, "\x1f")));
  }
  adjust_for_groups(groups);
  return {std::move(report), std::move(groups)};
}

}  // namespace scalelaw::cli
