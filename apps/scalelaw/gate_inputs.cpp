#include "gate_inputs.hpp"
#include "delivery.hpp"
#include "night_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/night_order.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::string_view kColumnMark = "{y}";

/// `name` with the column in place of {y}.
std::string path_of(std::string name, const std::string& y) {
  const std::size_t at = name.find(kColumnMark);
  if (at == std::string::npos) return name;
  if (y.empty()) {
    throw DataError(
        fmt::format("{}: {} stands for the column of -y, which is not given: name it with -y", name,
                    kColumnMark));
  }
  return name.replace(at, kColumnMark.size(), y);
}

OptionGiven given_in(const GateInputs& options) {
  return [&options](const char* option) { return options.call.given(option); };
}

/// A run table, and how its groups are fitted.
struct Fittable {
  GroupedCells runs;
  SavedFits fits;  ///< Without groups.
};

Fittable fittable(const std::string& path, StudyOptions study, bool to_be_saved,
                  const GlobalOptions& global) {
  study.inputs = {path};
  FitOptions fit = fit_options(study);
  if (!to_be_saved) {
    fit.figures = Figures::kEstimates;
    fit.intervals = Intervals::kWald;
  }
  auto [head, runs] = read_study(study, fit, global);
  pool_if_asked(runs, fit, head, global);
  SavedFits fits{std::move(head), fit, path, {}};
  fits.runs_of = runs_in(runs);
  return {std::move(runs), std::move(fits)};
}

SavedFits fitted(const std::string& path, const StudyOptions& study, bool to_be_saved,
                 const GlobalOptions& global) {
  Fittable table = fittable(path, study, to_be_saved, global);
  table.fits.groups = fit_groups(table.runs, table.fits, global.threads);
  return std::move(table.fits);
}

/// The fits of each night of a run table, by the column that names it, in their order.
std::vector<SavedFits> fitted_nights(const std::string& path, StudyOptions study,
                                     const GateInputs& options, const GlobalOptions& global,
                                     std::vector<std::string>& sentences) {
  study.factors = {options.night};
  SavedFits all = fitted(path, study, false, global);
  const NightsInOrder order = nights_in_order(path, all.by.back(), nights_of(all), study.where);
  if (!order.dates.empty()) {
    sentences.push_back(fmt::format("{}: the values of '{}' are in the order of '{}'",
                                    input_name(path), all.by.back(), order.dates));
  }
  return divided_by_night(std::move(all), order.nights);
}

/// The runs of a table, with its nights beside the group columns. Says nothing.
GroupedCells runs_by_night(const std::string& path, const std::string& night, StudyOptions study,
                           const GlobalOptions& global) {
  study.inputs = {path};
  study.factors = {night};
  GlobalOptions silent = global;
  silent.silent = true;
  FitOptions fit = fit_options(study);
  return read_study(study, fit, silent).runs;
}

/// Why the newest night of a run table cannot be judged by the others; empty if it can: it then has
/// every group at every x that the table has, so that nights repeat one job, and are not parts of
/// one study.
std::string why_not_newest(const std::string& path, const std::string& column,
                           const StudyOptions& study, const GlobalOptions& global) {
  const GroupedCells runs = runs_by_night(path, column, study, global);
  using Place = std::pair<GroupKey, double>;
  std::set<Place> all;
  std::map<std::string, std::set<Place>> nights;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    GroupKey group = runs.key(i);
    const std::string night = group.back();
    group.pop_back();
    runs.cells(i, cells);
    for (const Cell& cell : cells) {
      all.emplace(group, cell.x);
      nights[night].emplace(group, cell.x);
    }
  }
  std::vector<std::string> names;
  for (const auto& [night, places] : nights) names.push_back(night);
  const auto order = in_own_order(names, column);
  if (!order) return "its values have no order";
  const bool has_all = nights.size() > 1 && nights[order->back()] == all;
  return has_all ? "" : "the newest lacks groups or scales of others";
}

/// The column of nights in a run table NEW of which nobody said how they are to be judged; empty:
/// none.
std::string unasked_night_column(const std::string& current, const StudyOptions& study,
                                 const GateInputs& options) {
  if (options.call.given("--night") || holds_saved_fits(current)) return "";
  std::string column = night_column_of(current);
  const auto names_it = [&column](const std::string& condition) {
    return condition.starts_with(column);
  };
  const bool is_used = std::any_of(study.where.begin(), study.where.end(), names_it) ||
                       std::find(study.by.begin(), study.by.end(), column) != study.by.end();
  return is_used ? "" : column;
}

/// Says that several nights of NEW are taken as one, of which nobody chose one.
std::string note_on_mixed_nights(const std::string& current, const std::string& column,
                                 std::string_view reason) {
  return fmt::format(
      "{0}: all values of its column '{1}' are taken as one night, as {2}. To judge the newest, "
      "say "
      "--night {1} --newest-night, which counts the earlier ones as nights of BASE; to judge one "
      "of "
      "them, --where {1}=VALUE",
      input_name(current), column, reason);
}

/// The newest night of NEW. The others join the nights of BASE, in place of those that it has.
SavedFits newest_night_of(std::vector<SavedFits> nights, const std::string& current,
                          std::vector<SavedFits>& base, std::vector<std::string>& sentences) {
  SavedFits newest = std::move(nights.back());
  nights.pop_back();
  const std::size_t earlier = nights.size();
  const auto is_of_new = [&](const SavedFits& night) {
    return night.night == newest.night ||
           std::any_of(nights.begin(), nights.end(),
                       [&](const SavedFits& one) { return one.night == night.night; });
  };
  std::erase_if(base, is_of_new);
  std::move(nights.begin(), nights.end(), std::back_inserter(base));
  if (base.empty()) {
    throw DataError(
        fmt::format("{}: {} is its only night, and BASE has no other to compare it with",
                    input_name(current), newest.night));
  }
  sentences.push_back(fmt::format(
      "{}: NEW is its newest night, {}; its {} {} BASE", input_name(current), newest.night,
      counted(earlier, "earlier night"), earlier == 1 ? "counts as one of" : "count as nights of"));
  return newest;
}

/// NEW as one night. Where BASE has all its nights, as in one table that grows, NEW is the newest
/// of them, and BASE the others.
/// @param base  The nights of BASE.
SavedFits night_of_new(const std::string& current, std::vector<SavedFits>& base,
                       const StudyOptions& study, const GateInputs& options,
                       const GlobalOptions& global, GateResponses& responses) {
  if (options.night.empty() || !has_night_column(current, options.night)) {
    if (options.newest_night) {
      throw DataError(fmt::format("{}: --newest-night needs a run table with the column '{}'",
                                  input_name(current), options.night));
    }
    return fitted(current, study, options.update, global);
  }
  std::vector<SavedFits> nights =
      fitted_nights(current, study, options, global, responses.warnings);
  const auto has = [](const std::vector<SavedFits>& fits, const std::string& night) {
    return std::any_of(fits.begin(), fits.end(),
                       [&night](const SavedFits& one) { return one.night == night; });
  };
  const bool in_base = std::all_of(nights.begin(), nights.end(),
                                   [&](const SavedFits& night) { return has(base, night.night); });
  if (options.newest_night) {
    return newest_night_of(std::move(nights), current, base, responses.warnings);
  }
  if (in_base && base.size() > 1) {
    SavedFits newest = std::move(nights.back());
    std::erase_if(base, [&](const SavedFits& night) { return night.night == newest.night; });
    responses.others = base.size();
    return newest;
  }
  if (nights.size() > 1) {
    responses.mixed_nights = options.night;
    responses.warnings.push_back(
        fmt::format("{}: NEW is all {} nights of the column '{}' together ({} to {}), taken as "
                    "one; --newest-night judges the newest alone, and counts the others as nights "
                    "of BASE",
                    input_name(current), nights.size(), options.night, nights.front().night,
                    nights.back().night));
  }
  return fitted(current, study, options.update, global);
}

/// Every document that a store keeps under a label, the oldest first.
std::vector<SavedFits> kept_nights(const std::string& path, const std::string& label) {
  const std::string file = path.substr(0, path.size() - label.size() - 1);
  std::vector<SavedFits> fits;
  StudyStore(file, StudyStore::Access::kRead)
      .for_each_fits(label, [&](const KeptFits& kept, const std::string& document) {
        fits.push_back(parse_fits(document, path));
        fits.back().night = kept.kept_at;
      });
  return fits;
}

/// A group of a joint fit cannot change alone.
void refuse_shared(const SavedFits& fits) {
  for (const GroupFit& group : fits.groups) {
    const Fit* const fit = std::get_if<Fit>(&group.result);
    if (fit == nullptr) continue;
    for (const Parameter& parameter : fit->parameters) {
      if (!parameter.shared) continue;
      throw DataError(fmt::format(
          "{}: its groups share {} (--share), and a gate judges each group by itself; save fits "
          "without --share",
          input_name(fits.source), parameter.name));
    }
  }
}

std::optional<SavedFits> saved(const std::string& path, const StudyOptions& study,
                               const GateInputs& options) {
  if (!holds_saved_fits(path)) return std::nullopt;
  SavedFits fits = read_fits(path);
  refuse_several_x(*fits.law, "gate");
  refuse_shared(fits);
  refuse_other_columns(fits, study, study, given_in(options));
  return fits;
}

/// The nights of BASE, the oldest first.
/// @param document  The newest, where BASE is saved fits.
std::vector<SavedFits> nights_of_base(const std::string& base, std::optional<SavedFits> document,
                                      const StudyOptions& study, const GateInputs& options,
                                      const GlobalOptions& global,
                                      std::vector<std::string>& sentences) {
  if (document && !options.night.empty() && !options.newest_night) {
    throw DataError(fmt::format("{}: it holds fits, and --night names a column of a run table",
                                input_name(base)));
  }
  const bool in_new = options.newest_night && (document || !has_night_column(base, options.night));
  if (!options.night.empty() && !in_new) {
    return fitted_nights(base, study, options, global, sentences);
  }
  if (const auto label = input_label(base)) return kept_nights(base, *label);
  if (options.nights > 0 && !in_new) {
    throw DataError(
        fmt::format("{}: --nights counts the nights that --night COL names in a table, or those "
                    "kept under a label of a store; this is taken as one night",
                    input_name(base)));
  }
  return {document ? *std::move(document) : fitted(base, study, false, global)};
}

/// Takes the nights of --without-night out.
void leave_out_named(std::vector<SavedFits>& nights, const GateInputs& options) {
  if (options.without_nights.empty()) return;
  const std::string source = input_name(nights.front().source);
  if (nights.size() == 1) {
    throw DataError(
        fmt::format("{}: --without-night leaves nights out that --night COL names in a table, or "
                    "those kept under a label of a store; this is taken as one night",
                    source));
  }
  for (const std::string& name : options.without_nights) {
    const auto is_named = [&name](const SavedFits& night) { return night.night == name; };
    if (std::none_of(nights.begin(), nights.end(), is_named)) {
      throw DataError(fmt::format(
          "{}: --without-night {}: no night of BASE is called so; its nights are: {}", source, name,
          joined_texts(nights, ", ", [](const SavedFits& night) { return night.night; })));
    }
    std::erase_if(nights, is_named);
    if (nights.empty()) {
      throw DataError(fmt::format("{}: --without-night leaves no night of BASE", source));
    }
  }
}

/// What NEW is, where it is the newest night of one table, and how many of the others BASE has.
std::string note_on_newest(const GatePair& pair, std::size_t others, const std::string& column) {
  const std::string all = counted(others, "other");
  const std::string base = others == 1 ? "the other, " + pair.base.night
                           : pair.nights() == others
                               ? "the " + all
                               : fmt::format("{} of the {}", pair.nights(), all);
  return fmt::format("{}: NEW is its newest {}, {}; BASE is {}", input_name(pair.current.source),
                     is_night_name(column) ? "night" : column, pair.current.night, base);
}

/// That the nights which --nights leaves out are of another level than those that it keeps; empty
/// if that is not shown.
std::string note_on_other_level(const SavedFits& current, const std::vector<SavedFits>& nights,
                                const GateInputs& options) {
  if (options.nights == 0 || nights.size() <= options.nights) return "";
  GatePair all{.base = {}, .current = current};
  set_nights(all, nights);
  const Gate gate = gate_fits(std::vector{all}, {.confidence = options.study.confidence});
  if (!gate.base_change || gate.base_change->nights < options.nights) return "";
  if (gate.base_change->nights >= all.nights()) return "";
  return fmt::format("{}: --nights {} leaves out nights of another level: {} since {}",
                     input_name(all.base.source), options.nights, size_of(*gate.base_change),
                     gate.base_change->since);
}

bool is_to_be_created(const std::string& base, const GateInputs& options) {
  std::error_code error;
  return options.update && !std::filesystem::exists(base, error);
}

void check_paths(const std::string& base, const std::string& current, const GateInputs& options) {
  if (base == "-" && current == "-" && !options.one_table) {
    throw DataError("gate: BASE and NEW cannot both be standard input");
  }
  if (options.update && base == "-") {
    throw DataError("-: --update replaces a file; name one in place of standard input");
  }
  if (options.update && input_label(base)) {
    throw DataError(fmt::format(
        "{}: --update replaces a file; 'scalelaw fit --store --keep' adds fits to a store", base));
  }
  const bool is_name = base != "-" && base.find_first_of("*?[") == std::string::npos;
  if (!options.update && is_name && !input_exists(base)) {
    throw DataError(fmt::format(
        "{}: no such file or folder; 'scalelaw gate --update' makes a baseline of NEW", base));
  }
  if (options.update && !is_to_be_created(base, options) && !holds_saved_fits(base)) {
    throw DataError(fmt::format(
        "{}: --update replaces saved fits, and this file holds something else; name another file",
        input_name(base)));
  }
}

/// How NEW is read: what BASE was told of is not said again of the same table.
GlobalOptions reading_of_new(const std::string& base, const std::string& current,
                             GlobalOptions global) {
  global.silent = global.silent || base == current;
  return global;
}

/// Two run tables of one night each, which are fitted as they are judged.
void add_tables(const std::string& base, const std::string& current, const StudyOptions& study,
                const GateInputs& options, const GlobalOptions& global, GateResponses& responses) {
  Fittable before = fittable(base, study, false, global);
  Fittable after = fittable(current, study, false, reading_of_new(base, current, global));
  // Who names a law wants to be judged by it, and not by a mixture.
  if (options.call.given("--law")) before.fits.runs_of = nullptr;
  responses.night_column = night_column_of(base);
  responses.pairs.push_back({std::move(before.fits), std::move(after.fits), {}});
  responses.tables.emplace_back(GateTables{std::move(before.runs), std::move(after.runs)});
  responses.fitted.push_back(true);
  responses.created.push_back(false);
}

/// Where nobody said how the nights of NEW are to be judged, its newest is, if it has all that the
/// others have.
void choose_night(const std::string& base, const std::string& current, const StudyOptions& study,
                  const GlobalOptions& global, GateInputs& options, GateResponses& responses) {
  const std::string column = unasked_night_column(current, study, options);
  if (column.empty()) return;
  const std::string why_not = options.update ? "--update saves the fits of all"
                                             : why_not_newest(current, column, study, global);
  if (why_not.empty()) {
    options.night = column;
    options.newest_night = current != base;
    responses.warnings.push_back(fmt::format(
        "{}: its column '{}' names nights, of which the newest is judged; --night '' takes all of "
        "them as one",
        input_name(current), column));
    return;
  }
  if (current == base) return;
  responses.mixed_nights = column;
  responses.warnings.push_back(note_on_mixed_nights(current, column, why_not));
}

/// The group columns whose values each come in one night alone, such as the version that each night
/// tested. @param runs  The last group column names the nights.
std::vector<std::string> labels_of_nights(const GroupedCells& runs) {
  std::vector<std::string> labels;
  for (std::size_t column = 0; column + 1 < runs.by().size(); ++column) {
    std::map<std::string, std::set<std::string>> nights;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      nights[runs.key(i)[column]].insert(runs.key(i).back());
    }
    const bool is_label =
        nights.size() > 1 && std::all_of(nights.begin(), nights.end(),
                                         [](const auto& one) { return one.second.size() == 1; });
    if (is_label) labels.push_back(runs.by()[column]);
  }
  return labels;
}

/// Where nobody chose the groups, takes labels of nights for none: no other night has them.
void leave_out_labels(const std::string& path, const std::string& night, StudyOptions& study,
                      const GlobalOptions& global, GateResponses& responses) {
  if (night.empty() || study.by_chosen || holds_saved_fits(path)) return;
  if (!has_night_column(path, night)) return;
  const GroupedCells runs = runs_by_night(path, night, study, global);
  const std::vector<std::string> labels = labels_of_nights(runs);
  if (labels.empty()) return;
  study.by = {runs.by().begin(), runs.by().end() - 1};
  std::erase_if(study.by, [&labels](const std::string& name) {
    return std::find(labels.begin(), labels.end(), name) != labels.end();
  });
  study.by_chosen = true;
  responses.warnings.push_back(fmt::format(
      "{}: no value of {} comes in two nights of '{}', so it tells no groups; -b {} "
      "takes it for one",
      input_name(path),
      joined_texts(labels, ", ", [](const std::string& name) { return "'" + name + "'"; }), night,
      joined(labels, ",")));
}

void add_response(const std::string& y, GateInputs options, const GlobalOptions& global,
                  GateResponses& responses) {
  const std::string base = path_of(options.base, y);
  const std::string current = path_of(options.current, y);
  StudyOptions study = options.study;
  study.y = y;
  const bool create = is_to_be_created(base, options);
  auto base_saved = create ? std::nullopt : saved(base, study, options);
  auto current_saved = saved(current, study, options);
  if (base_saved || current_saved)
    follow(*(base_saved ? base_saved : current_saved), given_in(options), study, study);
  if (!create && !base_saved && !current_saved) {
    const std::string night =
        options.night.empty() ? unasked_night_column(current, study, options) : options.night;
    leave_out_labels(base, night, study, global, responses);
  }
  if (!create) choose_night(base, current, study, global, options, responses);
  const bool has_one_night = options.night.empty() && options.nights == 0 &&
                             options.without_nights.empty() && !input_label(base);
  if (!base_saved && !current_saved && !options.update && has_one_night) {
    return add_tables(base, current, study, options, global, responses);
  }
  GatePair pair;
  std::vector<SavedFits> nights;
  if (!create) {
    nights =
        nights_of_base(base, std::move(base_saved), study, options, global, responses.warnings);
  }
  pair.current = current_saved ? *current_saved
                               : night_of_new(current, nights, study, options,
                                              reading_of_new(base, current, global), responses);
  if (create) {  // NEW without its groups stands for it.
    pair.base = pair.current;
    pair.base.source = base;
    pair.base.groups.clear();
  } else {
    // Who names a law wants to be judged by it, and not by a mixture.
    if (options.call.given("--law")) {
      for (SavedFits& night : nights) night.runs_of = nullptr;
    }
    leave_out_named(nights, options);
    const std::size_t others = std::exchange(responses.others, 0);
    const std::string other_level = note_on_other_level(pair.current, nights, options);
    const auto left_out = set_nights(pair, std::move(nights), options.nights);
    if (others > 0) {
      responses.warnings.push_back(note_on_newest(pair, others, options.night));
      responses.newest = fmt::format("{} {}", options.night, pair.current.night);
    }
    if (!other_level.empty()) responses.warnings.push_back(other_level);
    responses.warnings.insert(responses.warnings.end(), left_out.begin(), left_out.end());
    check_baseline(pair);
    responses.night = options.night;
    if (pair.nights() == 1 && options.night.empty()) responses.night_column = night_column_of(base);
  }
  responses.pairs.push_back(std::move(pair));
  responses.tables.emplace_back();
  responses.fitted.push_back(!current_saved);
  responses.created.push_back(create);
}

/// How many groups are fitted and judged at a time.
constexpr std::size_t kGroupsAtATime = 512;

/// The groups of two tables from one place to another.
struct TablePart {
  std::size_t base_begin;
  std::size_t current_begin;
  std::size_t base_end = 0;
  std::size_t current_end = 0;
};

/// Fits the groups from one place to another.
std::vector<GroupFit> fits_between(const GroupedCells& runs, std::size_t begin, std::size_t end,
                                   const FitOptions& fit) {
  std::vector<GroupFit> fits;
  fits.reserve(end - begin);
  std::vector<Cell> cells;
  for (std::size_t i = begin; i < end; ++i) {
    runs.cells(i, cells);
    GroupKey key = runs.key(i);
    const std::uint64_t stream = fit.bootstrap.resamples > 0 ? random_stream_of(key) : 0;
    auto result = fit_or_reason(cells, fit, stream);
    fits.push_back({std::move(key), std::move(result)});
  }
  return fits;
}

/// The first group from `begin` on that is not before `key`; the end of all without a key.
std::size_t place_from(const GroupedCells& runs, std::size_t begin,
                       const std::optional<GroupKey>& key) {
  if (!key) return runs.size();
  while (begin < runs.size() && GroupLess()(runs.key(begin), *key)) ++begin;
  return begin;
}

/// The group that neither side passes with so many groups at a time; empty if both sides end.
std::optional<GroupKey> boundary(const GateTables& tables, std::size_t base, std::size_t current) {
  std::optional<GroupKey> least;
  const auto look_at = [&least](const GroupedCells& runs, std::size_t begin) {
    if (runs.size() - begin <= kGroupsAtATime) return;
    GroupKey key = runs.key(begin + kGroupsAtATime);
    if (!least || GroupLess()(key, *least)) least = std::move(key);
  };
  look_at(tables.base, base);
  look_at(tables.current, current);
  return least;
}

/// The parts in which two tables are judged, in group order: both sides of a group lie in one.
std::vector<TablePart> parts_of(const GateTables& tables) {
  std::vector<TablePart> parts;
  TablePart part{0, 0};
  while (part.base_begin < tables.base.size() || part.current_begin < tables.current.size()) {
    const std::optional<GroupKey> end = boundary(tables, part.base_begin, part.current_begin);
    part.base_end = place_from(tables.base, part.base_begin, end);
    part.current_end = place_from(tables.current, part.current_begin, end);
    parts.push_back(part);
    part = {part.base_end, part.current_end};
  }
  return parts;
}

/// Judges the groups of two tables, some at a time, so that only their comparisons are kept.
void judge_tables(GatePair head, const GateTables& tables, const GateOptions& options, int threads,
                  GateJudge& judge) {
  const std::vector<TablePart> places = parts_of(tables);
  std::atomic<bool> can_judge = false;
  judge.add(places.size(), threads, [&](std::size_t i) {
    const TablePart& place = places[i];
    GatePair pair = head;
    pair.base.groups = fits_between(tables.base, place.base_begin, place.base_end, pair.base);
    pair.current.groups =
        fits_between(tables.current, place.current_begin, place.current_end, pair.current);
    if (has_baseline(pair)) can_judge = true;
    return GatePart(pair, options);
  });
  if (!can_judge) {  // The first group tells why.
    head.base.groups =
        fits_between(tables.base, 0, std::min(tables.base.size(), std::size_t{1}), head.base);
    check_baseline(head);
  }
}

/// Frees the tables where no other nights of BASE can be left out, for which they would be judged
/// again.
void free_judged_tables(GateResponses& responses) {
  const bool has_nights = std::any_of(responses.pairs.begin(), responses.pairs.end(),
                                      [](const GatePair& pair) { return pair.nights() > 1; });
  if (has_nights) return;
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    if (!responses.tables[i]) continue;
    responses.tables[i].reset();
    responses.pairs[i].base.runs_of = nullptr;
    responses.pairs[i].current.runs_of = nullptr;
  }
}

/// A document of fits as it is, unpacked.
std::string document_at(const std::string& path) {
  const InputFile file(path);
  std::string document;
  read_to(document.max_size(), *open_stream(file), document);
  return document;
}

/// NEW as the baseline: its document as it is, or one of the fits made here.
Baseline settled_baseline(const GatePair& pair, bool fitted, bool created) {
  const SavedFits& current = pair.current;
  const std::string& path = pair.base.source;
  Baseline baseline{std::make_unique<Output>(path),
                    fmt::format("{}: baseline {}", path, created ? "created" : "replaced by NEW")};
  baseline.output->write(fitted ? render_fits({current, current}, current.groups, {Format::kJson})
                                : document_at(current.source));
  baseline.output->settle();
  return baseline;
}

/// Whether the usual responses are judged, as the call names none.
bool takes_usual_responses(const GateInputs& options) {
  const bool has_mark = options.base.find(kColumnMark) != std::string::npos ||
                        options.current.find(kColumnMark) != std::string::npos;
  return split(options.study.y, ',').empty() && !has_mark && !options.study.rate;
}

/// The responses that are judged: those that -y names, or the usual ones.
std::vector<std::string> responses_of(const GateInputs& options) {
  if (takes_usual_responses(options)) return usual_responses(options.base, options.current);
  std::vector<std::string> responses = split(options.study.y, ',');
  if (responses.empty()) responses.emplace_back();
  return responses;
}

/// Says that the energy is not judged, although one side has it.
void note_time_alone(const GateInputs& options, GateResponses& responses) {
  if (!takes_usual_responses(options)) return;
  std::string why = why_no_energy(options.base, options.current);
  if (!why.empty()) responses.warnings.push_back(std::move(why));
}

void refuse_too_few(const GateInputs& options) {
  if (!options.base.empty() && !options.current.empty()) return;
  throw DataError(
      "gate: name BASE and NEW, each a run table or saved fits, in the call or as base and new in "
      "scalelaw.toml. Of one table, --night COL names its column of dates or versions, and the "
      "newest is judged by the others; scalelaw look TABLE names such a column");
}

/// One table is both sides where a column tells its nights or versions. Of a stream that is not
/// known before it is read.
void take_one_table_as_both(GateInputs& options) {
  if (options.base.empty() || !options.current.empty()) return;
  options.one_table =
      !options.night.empty() || is_stream(options.base) || !night_column_of(options.base).empty();
  if (options.one_table) options.current = options.base;
}

/// One table that was not divided would be compared with itself.
void refuse_undivided(const GateInputs& options, const GateResponses& responses) {
  if (!options.one_table || !responses.newest.empty()) return;
  throw DataError(fmt::format(
      "{}: NEW is not named, and the table tells no newest night or version with runs at all "
      "scales of the others, and others before it: --night COL names a column that does (it has "
      "several "
      "values, and -b and --where do not use it), or name NEW",
      input_name(options.base)));
}

/// The baselines of several columns would replace one another.
void refuse_one_baseline_of_several(const GateInputs& options,
                                    const std::vector<std::string>& responses) {
  const bool is_one = options.base.find(kColumnMark) == std::string::npos;
  if (responses.size() < 2 || !is_one || !is_to_be_created(options.base, options)) return;
  throw DataError(
      fmt::format("{}: --update makes one baseline per column of -y; write {} in the name of BASE, "
                  "which stands for the column",
                  options.base, kColumnMark));
}

}  // namespace

void add_gate_inputs(Options& gate, GateInputs& options) {
  options.call = gate;
  gate.group("Data");
  gate.text("--base,BASE", options.base, "",
            "The baseline: a run table, saved fits (fit --format json), or the nights that a study "
            "store keeps under a label (DB@LABEL). {y} in its name stands for the column of -y. "
            "--base BASE does the same");
  gate.text("--new,NEW", options.current, "",
            "The new runs that are judged, as one night, given in the same ways (of a label the "
            "newest is taken). Runs at a single N are compared with what BASE predicts there. "
            "--new NEW does the same. Without it, the newest night or version of the table BASE "
            "(--night) is judged by the others");
  add_row_options(gate, options.study);
  gate.extend_help("-y", ". Several columns are judged one by one");
  add_method_options(gate, options.study);
  add_pool_option(gate, options.study, {Pool::kNone, Pool::kScatter});
  gate.group("Nights");
  gate.text(
      "--night", options.night, "COL",
      "Column of BASE that names the night, the day or the version of a run; each is then fitted "
      "by itself");
  gate.flag("--newest-night", options.newest_night,
            "Judge the newest night of NEW, by the column of --night; its earlier nights count as "
            "nights of BASE")
      .needs("--night", "{0}: NEW's column of nights is not known: name it with --night COL");
  gate.count("--nights", options.nights, 1, "K",
             "Use only the last K nights of BASE. Default: all nights of --night, or all that the "
             "store keeps under the label");
  gate.list("--without-night", options.without_nights, "NIGHT",
            "Leave this night of BASE out, as one on which something else was slow: a value of the "
            "column of --night, or the time at which a store kept its fits. May be given several "
            "times");
  gate.flag(
      "--all-nights", options.all_nights,
      "Judge by all nights of BASE, also where a night stands apart and hides what the others "
      "show (night-apart, base-changed). Default: the gate then judges without such nights");
}

void check_gate_inputs(GateInputs& options, std::vector<OutputFile> outputs) {
  take_one_table_as_both(options);
  refuse_too_few(options);
  const std::vector<std::string> responses = responses_of(options);
  refuse_one_baseline_of_several(options, responses);
  std::vector<std::string> inputs;
  for (const std::string& y : responses) {
    const std::string base = path_of(options.base, y);
    if (is_to_be_created(base, options)) outputs.push_back({base, "--update"});
    for (const std::string& path : {base, path_of(options.current, y)}) {
      if (path != "-" && input_exists(path)) inputs.push_back(path);
    }
  }
  refuse_to_lose_files(outputs, inputs);
  for (const std::string& y : responses) {
    check_paths(path_of(options.base, y), path_of(options.current, y), options);
  }
}

void hold_streams(const GateInputs& options, HeldStreams& streams) {
  for (const std::string& y : responses_of(options)) {
    const std::string base = path_of(options.base, y);
    if (!is_to_be_created(base, options)) streams.hold(base);
    streams.hold(path_of(options.current, y));
  }
}

GateResponses read_gate_inputs(const GateInputs& options, const GlobalOptions& global) {
  GateResponses responses;
  try {
    for (const std::string& y : responses_of(options)) add_response(y, options, global, responses);
    note_time_alone(options, responses);
  } catch (const NoColumnError& error) {
    throw DataError(fmt::format(
        "{}. If all runs have one scale, add a column that says it, such as gpus, with the same "
        "number in each row",
        error.what()));
  }
  refuse_undivided(options, responses);
  check_one_study(responses.pairs);
  return responses;
}

Gate judge_responses(GateResponses& responses, const GateOptions& options, int threads) {
  GateJudge judge(options);
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    const GatePair& pair = responses.pairs[i];
    judge.begin(pair);
    if (const auto& tables = responses.tables[i]) {
      judge_tables(pair, *tables, options, threads, judge);
    } else {
      judge.add(GatePart(pair, options));
    }
  }
  free_judged_tables(responses);
  Gate gate = judge.finish();
  if (names_version(responses.night)) gate.night_noun = "version";
  return gate;
}

Gate judge_without(GateResponses responses, std::span<const std::string> nights,
                   GateOptions options, int threads) {
  for (GatePair& pair : responses.pairs) pair = without_nights(std::move(pair), nights);
  options.change.draws = 0;
  return judge_responses(responses, options, threads);
}

std::vector<Baseline> settled_baselines(const GateResponses& responses) {
  std::vector<Baseline> baselines;
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    baselines.push_back(
        settled_baseline(responses.pairs[i], responses.fitted[i], responses.created[i]));
  }
  return baselines;
}

}  // namespace scalelaw::cli
