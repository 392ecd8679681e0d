#include "study/gate_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
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
#include "scalelaw/runs/quantity.hpp"
#include "scalelaw/store/study_store.hpp"
#include "scalelaw/study/read_study.hpp"
#include "study/night_columns.hpp"

namespace scalelaw {
namespace {

/// A reading of a table, and what it had to say.
struct TableReading {
  StudyOptions study;
  FitOptions fit;
  Study table;
  std::vector<std::pair<Said, std::string>> said;

  bool is_of(const StudyOptions& other) const {
    return study.inputs == other.inputs && study.factors == other.factors && study.by == other.by &&
           study.by_chosen == other.by_chosen;
  }
};

/// How the sides of one response are read.
struct SideReading {
  GateRequest request;  ///< With the nights that are found.
  StudyOptions study;   ///< As saved fits and nights say.
  const CallConditions& conditions;
  GateResponses& responses;
  bool new_is_level = false;                      ///< All nights of NEW are one level.
  mutable std::optional<TableReading> last = {};  ///< So that no table is read twice in a row.

  void warn(std::string sentence) const { responses.warnings.push_back(std::move(sentence)); }
};

/// A run table, and how its groups are fitted.
struct Fittable {
  GroupedCells runs;
  SavedFits fits;  ///< Without groups.
};

/// Reads a table in silence, unless that was done last.
const TableReading& reading_of(const Input& input, StudyOptions study, const SideReading& reading) {
  study.inputs = {input.path};
  if (reading.last && reading.last->is_of(study)) return *reading.last;
  reading.last.reset();
  std::vector<std::pair<Said, std::string>> said;
  CallConditions conditions = reading.conditions;
  conditions.say = Messages(
      [&said](Said kind, std::string_view sentence) { said.emplace_back(kind, sentence); });
  FitOptions fit = fit_options(study);
  Study table = read_study(study, fit, conditions);
  return reading.last.emplace(
      TableReading{std::move(study), std::move(fit), std::move(table), std::move(said)});
}

Fittable fittable(const Input& input, const StudyOptions& study, bool to_be_saved,
                  const SideReading& reading, const CallConditions& conditions) {
  auto [read, fit, table, said] = reading_of(input, study, reading);
  auto& [head, runs] = table;
  for (const auto& [kind, sentence] : said) conditions.say.say(kind, sentence);
  if (!to_be_saved) {
    fit.figures = Figures::kEstimates;
    fit.intervals = Intervals::kWald;
  }
  pool_if_asked(runs, fit, head, conditions);
  SavedFits fits{std::move(head), fit, input.path, {}};
  fits.runs_of = runs_in(runs);
  return {std::move(runs), std::move(fits)};
}

SavedFits fitted(const Input& input, const StudyOptions& study, bool to_be_saved,
                 const SideReading& reading, const CallConditions& conditions) {
  Fittable table = fittable(input, study, to_be_saved, reading, conditions);
  table.fits.groups = fit_groups(table.runs, table.fits, conditions.threads);
  return std::move(table.fits);
}

/// With the night as the last group column.
StudyOptions by_night(const SideReading& reading, const std::string& night) {
  StudyOptions study = reading.study;
  study.factors = {night};
  return study;
}

/// Fits by nights as one study per night, in their order.
std::vector<SavedFits> divided_in_order(SavedFits all, std::vector<std::string> nights,
                                        const Input& input, const SideReading& reading) {
  const NightsInOrder order =
      nights_in_order(input, all.by.back(), std::move(nights), reading.study.where);
  if (!order.dates.empty()) {
    reading.warn(fmt::format("{}: the values of '{}' are in the order of '{}'", input.name(),
                             all.by.back(), order.dates));
  }
  return divided_by_night(std::move(all), order.nights);
}

/// The fits of each night of a run table, by the column that names it, in their order.
std::vector<SavedFits> fitted_nights(const Input& input, const SideReading& reading,
                                     const CallConditions& conditions) {
  SavedFits all =
      fitted(input, by_night(reading, reading.request.night), false, reading, conditions);
  std::vector<std::string> nights = nights_of(all);
  return divided_in_order(std::move(all), std::move(nights), input, reading);
}

/// The runs of a table, with its nights beside the group columns. Says nothing.
GroupedCells runs_by_night(const Input& input, const std::string& night,
                           const SideReading& reading) {
  return reading_of(input, by_night(reading, night), reading).table.runs;
}

/// Why the newest night of a run table cannot be judged by the others; empty if it can: it then has
/// every group at every x that the table has, so that nights repeat one job, and are not parts of
/// one study.
std::string why_not_newest(const Input& input, const std::string& column,
                           const SideReading& reading) {
  const NightTable table(runs_by_night(input, column, reading));
  const auto order = in_own_order(table.nights(), column);
  if (!order) return "its values have no order";
  const bool has_all = order->size() > 1 && table.has_all_places(order->back());
  return has_all ? "" : "the newest lacks groups or scales of others";
}

/// The column of nights in a run table NEW of which nobody said how they are to be judged; empty:
/// none.
std::string unasked_night_column(const Input& current, const SideReading& reading) {
  const StudyOptions& study = reading.study;
  if (!reading.request.night.empty() || reading.request.nights_as_one) return "";
  std::string column = night_column_of(current);
  const auto names_it = [&column](const std::string& condition) {
    return condition.starts_with(column);
  };
  const bool is_used = std::ranges::any_of(study.where, names_it) || contains(study.by, column);
  return is_used ? "" : column;
}

/// Says that several nights of NEW are taken as one, of which nobody chose one.
std::string note_on_mixed_nights(const Input& current, const std::string& column,
                                 std::string_view reason) {
  return fmt::format(
      "{0}: all values of its column '{1}' are taken as one night, as {2}. To judge the newest, "
      "say "
      "--night {1} --newest-night, which counts the earlier ones as nights of BASE; to judge one "
      "of "
      "them, --where {1}=VALUE",
      current.name(), column, reason);
}

/// The newest night of NEW. The others join the nights of BASE, in place of those that it has.
SavedFits newest_night_of(std::vector<SavedFits> nights, const Input& current,
                          std::vector<SavedFits>& base, const SideReading& reading) {
  SavedFits newest = std::move(nights.back());
  nights.pop_back();
  const std::size_t earlier = nights.size();
  const auto is_of_new = [&](const SavedFits& night) {
    return night.night == newest.night || contains(nights, night.night, &SavedFits::night);
  };
  std::erase_if(base, is_of_new);
  std::move(nights.begin(), nights.end(), std::back_inserter(base));
  if (base.empty()) {
    throw DataError(
        fmt::format("{}: {} is its only night, and BASE has no other to compare it with",
                    current.name(), newest.night));
  }
  reading.warn(fmt::format("{}: NEW is its newest night, {}; its {} {} BASE", current.name(),
                           newest.night, counted(earlier, "earlier night"),
                           earlier == 1 ? "counts as one of" : "count as nights of"));
  return newest;
}

/// The newest night of NEW, all of whose nights are one level: they follow those of BASE.
SavedFits level_of_new(std::vector<SavedFits> nights, const Input& current,
                       std::vector<SavedFits>& base, SideReading& reading) {
  reading.warn(
      fmt::format("{}: its {} nights from {} to {} are one level, held against BASE; "
                  "--newest-night judges the newest by all others",
                  current.name(), nights.size(), nights.front().night, nights.back().night));
  reading.new_is_level = true;
  SavedFits newest = std::move(nights.back());
  nights.pop_back();
  std::move(nights.begin(), nights.end(), std::back_inserter(base));
  return newest;
}

/// NEW as one night. Where BASE has all its nights, as in one table that grows, NEW is the newest
/// of them, and BASE the others.
/// @param base  The nights of BASE.
SavedFits night_of_new(const Input& current, std::vector<SavedFits>& base, SideReading& reading,
                       const CallConditions& conditions) {
  const GateRequest& options = reading.request;
  if (options.night.empty() || !has_night_column(current, options.night)) {
    if (options.newest_night) {
      throw DataError(fmt::format("{}: --newest-night needs a run table with the column '{}'",
                                  current.name(), options.night));
    }
    return fitted(current, reading.study, options.update, reading, conditions);
  }
  if (!options.newest_night && base.size() > 1 && base.back().source == current.path) {
    SavedFits newest = std::move(base.back());
    base.pop_back();
    reading.responses.others = base.size();
    return newest;
  }
  std::vector<SavedFits> nights = fitted_nights(current, reading, conditions);
  const auto has = [](const std::vector<SavedFits>& fits, const std::string& night) {
    return contains(fits, night, &SavedFits::night);
  };
  const bool in_base =
      std::ranges::all_of(nights, [&](const SavedFits& night) { return has(base, night.night); });
  if (options.newest_night) {
    return newest_night_of(std::move(nights), current, base, reading);
  }
  if (in_base && base.size() > 1) {
    SavedFits newest = std::move(nights.back());
    std::erase_if(base, [&](const SavedFits& night) { return night.night == newest.night; });
    reading.responses.others = base.size();
    return newest;
  }
  const bool is_later =
      std::ranges::none_of(nights, [&](const SavedFits& night) { return has(base, night.night); });
  if (nights.size() > 1 && is_later && !base.empty() && !options.update) {
    return level_of_new(std::move(nights), current, base, reading);
  }
  if (nights.size() > 1) {
    reading.responses.mixed_nights = options.night;
    reading.warn(fmt::format(
        "{}: NEW is all {} nights of the column '{}' together ({} to {}), taken as "
        "one; --newest-night judges the newest alone, and counts the others as nights "
        "of BASE",
        current.name(), nights.size(), options.night, nights.front().night, nights.back().night));
  }
  return fitted(current, reading.study, options.update, reading, conditions);
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

std::optional<SavedFits> saved(const Input& input, const SideReading& reading) {
  if (!input.holds_fits()) return std::nullopt;
  SavedFits fits = read_fits(input.path);
  refuse_several_x(*fits.law, "gate");
  refuse_shared(fits);
  refuse_other_columns(fits, reading.study, reading.study, reading.request.names_law());
  return fits;
}

/// The nights of BASE, the oldest first.
/// @param document  The newest, where BASE is saved fits.
std::vector<SavedFits> nights_of_base(const Input& base, std::optional<SavedFits> document,
                                      const SideReading& reading) {
  const GateRequest& options = reading.request;
  if (document && !options.night.empty() && !options.newest_night) {
    throw DataError(
        fmt::format("{}: it holds fits, and --night names a column of a run table", base.name()));
  }
  const bool in_new = options.newest_night && (document || !has_night_column(base, options.night));
  if (!options.night.empty() && !in_new) {
    return fitted_nights(base, reading, reading.conditions);
  }
  if (base.kind == InputKind::kKeptFits) return kept_nights(base.path, base.label);
  if (options.nights > 0 && !in_new) {
    throw DataError(
        fmt::format("{}: --nights counts the nights that --night COL names in a table, or those "
                    "kept under a label of a store; this is taken as one night",
                    base.name()));
  }
  return {document ? *std::move(document)
                   : fitted(base, reading.study, false, reading, reading.conditions)};
}

/// Takes the nights of --without-night out.
void leave_out_named(std::vector<SavedFits>& nights, const GateRequest& options) {
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
    if (std::ranges::none_of(nights, is_named)) {
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
                                const GateRequest& options) {
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

/// Two run tables of one night each, which are fitted as they are judged.
/// @param of_new  How NEW is read.
void add_tables(const GateSides& sides, const SideReading& reading, const CallConditions& of_new) {
  Fittable before = fittable(sides.base, reading.study, false, reading, reading.conditions);
  Fittable after = fittable(sides.current, reading.study, false, reading, of_new);
  // Who names a law wants to be judged by it, and not by a mixture.
  if (reading.request.names_law()) before.fits.runs_of = nullptr;
  reading.responses.night_column = night_column_of(sides.base);
  reading.responses.pairs.push_back({std::move(before.fits), std::move(after.fits), {}});
  reading.responses.parts.emplace_back(
      parts_of_tables(std::move(before.runs), std::move(after.runs)));
}

/// Where nobody said how the nights of NEW are to be judged, its newest is, if it has all that the
/// others have.
void choose_night(const GateSides& sides, SideReading& reading) {
  const Input& current = sides.current;
  const bool is_base = current.path == sides.base.path;
  const std::string column = unasked_night_column(current, reading);
  if (column.empty()) return;
  const std::string why_not = reading.request.update ? "--update saves the fits of all"
                                                     : why_not_newest(current, column, reading);
  if (why_not.empty()) {
    reading.request.night = column;
    reading.request.newest_night = !is_base;
    if (reading.request.follows) return;
    return reading.warn(fmt::format(
        "{}: its column '{}' names nights, of which the newest is judged; --night '' takes all of "
        "them as one",
        current.name(), column));
  }
  if (is_base) return;
  reading.responses.mixed_nights = column;
  reading.warn(note_on_mixed_nights(current, column, why_not));
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
    const bool is_label = nights.size() > 1 && std::ranges::all_of(nights, [](const auto& one) {
                            return one.second.size() == 1;
                          });
    if (is_label) labels.push_back(runs.by()[column]);
  }
  return labels;
}

/// Where nobody chose the groups, takes labels of nights for none: no other night has them.
void leave_out_labels(const Input& base, const std::string& night, SideReading& reading) {
  StudyOptions& study = reading.study;
  if (night.empty() || study.by_chosen || !has_night_column(base, night)) return;
  const GroupedCells runs = runs_by_night(base, night, reading);
  const std::vector<std::string> labels = labels_of_nights(runs);
  if (labels.empty()) return;
  study.by = {runs.by().begin(), runs.by().end() - 1};
  std::erase_if(study.by, [&labels](const std::string& name) { return contains(labels, name); });
  study.by_chosen = true;
  reading.warn(fmt::format(
      "{}: no value of {} comes in two nights of '{}', so it tells no groups; -b {} "
      "takes it for one",
      base.name(),
      joined_texts(labels, ", ", [](const std::string& name) { return "'" + name + "'"; }), night,
      joined(labels, ",")));
}

/// The place of the night from which on NEW has its level; 0 if nobody said.
std::size_t place_of_since(const GatePair& pair, const SideReading& reading) {
  const std::string& since = reading.request.since;
  if (since.empty()) return reading.new_is_level ? pair.last_of_base() + 1 : 0;
  for (std::size_t i = 1; i < pair.nights(); ++i) {
    if (pair.night(i).night == since) return i;
  }
  if (pair.current.night == since) return pair.nights();
  throw DataError(fmt::format("{}: --since {}: BASE has no such night after its first one",
                              input_name(pair.base.source), since));
}

/// Sets BASE of a pair to those of its nights that count, and says what was left out.
void take_nights(GatePair& pair, std::vector<SavedFits> nights, const Input& base,
                 const SideReading& reading) {
  const GateRequest& options = reading.request;
  GateResponses& responses = reading.responses;
  // Who names a law wants to be judged by it, and not by a mixture.
  if (options.names_law()) {
    for (SavedFits& night : nights) night.runs_of = nullptr;
  }
  leave_out_named(nights, options);
  const std::size_t others = std::exchange(responses.others, 0);
  const std::string other_level = note_on_other_level(pair.current, nights, options);
  const auto left_out = set_nights(pair, std::move(nights), options.nights);
  pair.since = place_of_since(pair, reading);
  pair.goes_on = (others > 0 || options.newest_night) && !names_version(options.night);
  if (others > 0) {
    if (!options.follows) reading.warn(note_on_newest(pair, others, options.night));
    responses.newest = fmt::format("{} {}", options.night, pair.current.night);
  }
  if (!other_level.empty()) reading.warn(other_level);
  for (const std::string& sentence : left_out) reading.warn(sentence);
  responses.night = options.night;
  if (pair.nights() == 1 && options.night.empty()) responses.night_column = night_column_of(base);
}

/// Whether NEW is the newest night of the one table, and all others are BASE.
bool is_newest_of_all(const GateSides& sides, const GateRequest& options) {
  return sides.base.path == sides.current.path && !options.night.empty() && !options.newest_night &&
         options.nights == 0 && options.without_nights.empty() && !options.update &&
         has_night_column(sides.base, options.night);
}

/// One table of nights, which are fitted as they are judged, unless runs of one night are those of
/// another.
bool add_table_of_nights(const GateSides& sides, const SideReading& reading) {
  if (!is_newest_of_all(sides, reading.request)) return false;
  const NightTable table(runs_by_night(sides.base, reading.request.night, reading));
  std::vector<std::string> names = table.nights();
  if (names.size() < 2 || table.has_repeats()) return false;
  Fittable all = fittable(sides.base, by_night(reading, reading.request.night), false, reading,
                          reading.conditions);
  std::vector<SavedFits> nights =
      divided_in_order(std::move(all.fits), std::move(names), sides.base, reading);
  GatePair pair;
  pair.current = std::move(nights.back());
  nights.pop_back();
  reading.responses.others = nights.size();
  take_nights(pair, std::move(nights), sides.base, reading);
  reading.responses.pairs.push_back(std::move(pair));
  reading.responses.parts.emplace_back(table.parts());
  return true;
}

/// NEW as the baseline: its document as it is, or that of the fits made here.
NewBaseline baseline_of(const SavedFits& current, const GateSides& sides) {
  return {sides.base.path,
          sides.current.holds_fits()
              ? document_at(sides.current.path)
              : render_fits({current, current}, current.groups, {Format::kJson}),
          sides.creates};
}

void add_response(const GateSides& sides, const GateRequest& request,
                  const CallConditions& conditions, GateResponses& responses) {
  const auto& [y, base, current, create] = sides;
  SideReading reading{request, request.study, conditions, responses};
  const GateRequest& options = reading.request;
  reading.study.y = y;
  std::erase_if(reading.study.better_of, [&y = y](const auto& told) { return told.first != y; });
  auto base_saved = create ? std::nullopt : saved(base, reading);
  const auto current_saved = saved(current, reading);
  if (base_saved || current_saved) {
    follow(*(base_saved ? base_saved : current_saved), options.chosen, reading.study,
           reading.study);
  } else if (!create) {
    const std::string night =
        options.night.empty() ? unasked_night_column(current, reading) : options.night;
    leave_out_labels(base, night, reading);
  }
  if (!create) choose_night(sides, reading);
  // What BASE was told of is not said again of the same table.
  const CallConditions of_new = base.path == current.path ? conditions.silent() : conditions;
  const bool has_one_night =
      options.night.empty() && options.nights == 0 && options.without_nights.empty();
  if (!base_saved && !current_saved && !options.update && has_one_night) {
    return add_tables(sides, reading, of_new);
  }
  const bool holds_fits = base_saved || current_saved;
  if (!holds_fits && add_table_of_nights(sides, reading)) return;
  GatePair pair;
  std::vector<SavedFits> nights;
  if (!create) nights = nights_of_base(base, std::move(base_saved), reading);
  pair.current = current_saved ? *current_saved : night_of_new(current, nights, reading, of_new);
  if (create) {  // NEW without its groups stands for it.
    pair.base = pair.current;
    pair.base.source = base.path;
    pair.base.groups.clear();
  } else {
    take_nights(pair, std::move(nights), base, reading);
    check_baseline(pair);
  }
  if (options.update) responses.baselines.push_back(baseline_of(pair.current, sides));
  responses.pairs.push_back(std::move(pair));
  responses.parts.emplace_back();
}

/// Whether a column says by its name what it measured and which way that gets better. Powers and
/// utilisations explain times and energies, which are judged.
bool is_metric(const std::string& column) {
  const Quantity quantity = quantity_of(column);
  const bool explains = quantity.kind == Kind::kPower || quantity.kind == Kind::kPrice ||
                        column.find("util") != std::string::npos;
  return quantity.better != Better::kUnknown && !explains;
}

/// The columns of metrics that are numbers in the first row.
std::vector<std::string> metrics_of(const Input& input) {
  if (!input.first) return {};
  TableRows table(*input.first);
  if (!table.next()) return {};
  std::vector<std::string> metrics;
  for (std::size_t i = 0; i < table.fields().size(); ++i) {
    const std::string& name = table.header().names[i];
    if (is_metric(name) && parse_number(table.fields()[i])) metrics.push_back(name);
  }
  return metrics;
}

/// What both tables measured and nobody asked for, with the -y that judges it; empty if that is
/// nothing.
std::string note_on_unjudged(const GateSides& sides, std::span<const GatePair> pairs,
                             const GateRequest& options) {
  std::vector<std::string> judged;
  for (const GatePair& pair : pairs) judged.push_back(pair.base.y);
  const SavedFits& first = pairs.front().base;
  const std::vector<std::string> of_base = metrics_of(sides.base);
  std::vector<std::string> others;
  for (const std::string& name : metrics_of(sides.current)) {
    const bool is_used = contains(judged, name) || contains(first.by, name) || name == first.x ||
                         name == options.study.run || name == options.study.weights;
    if (!is_used && contains(of_base, name)) others.push_back(name);
  }
  if (others.empty()) return "";
  constexpr std::size_t kMostNames = 4;
  std::vector<std::string> named(others.begin(),
                                 others.begin() + std::min(others.size(), kMostNames));
  if (others.size() > named.size())
    named.push_back(fmt::format("{} more", others.size() - named.size()));
  std::move(others.begin(), others.end(), std::back_inserter(judged));
  return fmt::format("{}: {} {} not judged; -y {} judges all", sides.current.name(),
                     joined_with_and(named), others.size() == 1 ? "is" : "are",
                     shell_word(joined(judged, ",")));
}

/// One table that was not divided would be compared with itself.
void refuse_undivided(const GateRequest& options, const GateResponses& responses) {
  if (!options.one_table || !responses.newest.empty()) return;
  throw DataError(fmt::format(
      "{}: NEW is not named, and the table tells no newest night or version with runs at all "
      "scales of the others, and others before it: --night COL names a column that does (it has "
      "several "
      "values, and -b and --where do not use it), or name NEW",
      input_name(options.base)));
}

GateResponses read_sides(const GateRequest& options, std::span<const GateSides> sides,
                         const CallConditions& conditions) {
  GateResponses responses;
  for (const GateSides& one : sides) add_response(one, options, conditions, responses);
  const std::string why = options.takes_usual_responses()
                              ? why_no_energy(sides.front().base, sides.front().current)
                              : "";
  if (!why.empty()) responses.warnings.push_back(why);
  if (options.takes_usual_responses() && !options.follows) {
    const std::string unjudged = note_on_unjudged(sides.front(), responses.pairs, options);
    if (!unjudged.empty()) responses.warnings.push_back(unjudged);
  }
  refuse_undivided(options, responses);
  check_one_study(responses.pairs);
  return responses;
}

}  // namespace

GateResponses read_gate_sides(const GateRequest& options, std::span<const GateSides> sides,
                              const CallConditions& conditions) {
  try {
    return read_sides(options, sides, conditions);
  } catch (const NoColumnError& error) {
    // Nights of one scale are judged by their means; other tables lack what would tell it.
    const bool has_nights = !options.night.empty() || !night_column_of(sides.front().base).empty();
    if (!options.study.x.empty() || !has_nights) {
      throw DataError(fmt::format(
          "{}. If all runs have one scale, add a column that says it, such as gpus, with the same "
          "number in each row",
          error.what()));
    }
  }
  GateRequest without_scale = options;
  without_scale.study.has_x = false;
  return read_sides(without_scale, sides, conditions);
}

}  // namespace scalelaw
