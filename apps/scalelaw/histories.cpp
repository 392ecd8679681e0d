#include "histories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/read_fits.hpp"
#include "scalelaw/input/source.hpp"
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
    throw DataError(
        fmt::format("{}: {}", options.store,
                    input_exists(options.store) ? "this is no study store" : "no such file"));
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

HistoryPoint point_of(const KeptFits& kept, const Fit& fit, const HistoryOptions& options) {
  const auto found =
      std::find_if(fit.parameters.begin(), fit.parameters.end(),
                   [&](const Parameter& one) { return one.name == options.parameter; });
  if (found == fit.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& one : fit.parameters) names.emplace_back(one.name);
    throw DataError(fmt::format("the law {} has no parameter '{}'; it has: {}", fit.law->name(),
                                options.parameter, joined(names)));
  }
  const auto time = utc_seconds(kept.kept_at);
  if (!time) {
    throw DataError(fmt::format("{}: damaged: fits were kept at '{}', which is no time",
                                options.store, kept.kept_at));
  }
  return {.label = kept.label,
          .kept_at = kept.kept_at,
          .time = *time,
          .estimate = found->estimate,
          .se = found->se,
          .ci = found->ci,
          .dof = found->dof ? *found->dof : static_cast<double>(fit.dof)};
}

/// Whether two fits of a group are of the same runs: other runs give other figures.
bool are_of_same_runs(const Fit& a, const Fit& b) {
  const auto same = [](const Parameter& x, const Parameter& y) {
    return x.name == y.name && x.estimate == y.estimate;
  };
  return a.n == b.n && a.x_min == b.x_min && a.x_max == b.x_max && a.rss == b.rss &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), same);
}

/// The series of one label, and the documents in which fits repeat earlier ones of their series.
struct LabelSeries {
  std::vector<GroupHistory> groups;  ///< In their order, those of earlier documents first.
  std::vector<const KeptDocument*> repeats;
};

LabelSeries series_of(const std::string& label, const std::vector<const KeptDocument*>& documents,
                      const HistoryOptions& options) {
  LabelSeries out;
  std::map<GroupKey, std::size_t> places;
  std::vector<std::vector<const Fit*>> fits;  // By place.
  for (const KeptDocument* document : documents) {
    if (document->kept.label != label) continue;
    bool repeats = false;
    for (const GroupFit& group : document->fits.groups) {
      const Fit* fit = std::get_if<Fit>(&group.result);
      if (fit == nullptr) continue;
      const auto [place, is_new] = places.try_emplace(group.group, out.groups.size());
      if (is_new) {
        out.groups.push_back({group.group, label, {}, {}});
        fits.emplace_back();
      }
      auto& earlier = fits[place->second];
      if (std::any_of(earlier.begin(), earlier.end(),
                      [&](const Fit* one) { return are_of_same_runs(*one, *fit); })) {
        repeats = true;
        continue;
      }
      earlier.push_back(fit);
      out.groups[place->second].points.push_back(point_of(document->kept, *fit, options));
    }
    if (repeats) out.repeats.push_back(document);
  }
  return out;
}

std::vector<std::string> labels_of(const std::vector<const KeptDocument*>& documents) {
  std::vector<std::string> labels;
  for (const KeptDocument* document : documents) {
    const std::string& label = document->kept.label;
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

/// Names the first of them.
std::string repeats_text(const std::vector<const KeptDocument*>& repeats) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (const KeptDocument* document : repeats) {
    if (names.size() == kMostNamed) break;
    names.push_back(fmt::format("'{}' of {}", document->kept.label, document->kept.kept_at));
  }
  const std::size_t others = repeats.size() - names.size();
  return fmt::format("{} of the kept fits repeat{} runs of earlier ones, which count once: {}{}",
                     repeats.size(), repeats.size() == 1 ? "s" : "", joined(names),
                     others > 0 ? fmt::format(" and {} more", others) : "");
}

}  // namespace

std::string time_to_keep(const std::string& kept_at) {
  if (kept_at.empty()) return utc_now();
  if (const auto time = utc_time(kept_at)) return *time;
  throw DataError(
      fmt::format("--kept-at {}: expected a date such as 2026-01-31 or a time such as "
                  "2026-01-31T12:00:00Z",
                  kept_at));
}

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
                       .labels = labels_of(comparable),
                       .confidence = options.confidence,
                       .options = options.change,
                       .warnings = {}};
  if (comparable.size() < documents.size()) {
    report.warnings.push_back(
        fmt::format("{} of {} kept fits have other columns or another law than the newest and were "
                    "left out",
                    documents.size() - comparable.size(), documents.size()));
  }
  std::vector<GroupHistory> groups;
  std::vector<const KeptDocument*> repeats;
  for (const std::string& label : report.labels) {
    LabelSeries series = series_of(label, comparable, options);
    std::move(series.groups.begin(), series.groups.end(), std::back_inserter(groups));
    repeats.insert(repeats.end(), series.repeats.begin(), series.repeats.end());
  }
  if (!repeats.empty()) report.warnings.push_back(repeats_text(repeats));
  for (GroupHistory& group : groups) {
    const std::string name = group.label + '\x1f' + joined(group.group, "\x1f");
    group.change = change_point(group.points, options.change, stable_hash(name));
  }
  adjust_for_groups(groups);
  return {std::move(report), std::move(groups)};
}

}  // namespace scalelaw::cli
