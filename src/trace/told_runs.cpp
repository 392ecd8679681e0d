#include "trace/told_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

constexpr std::int64_t kHour = 3'600;
/// No zone is further from UTC.
constexpr std::int64_t kFarthestZone = 14 * kHour;
/// A job that waited longer in its queue is not recognised by its start, and jobs of an id that lie
/// further apart are no starts of one.
constexpr std::int64_t kLongestWait = 30 * 24 * kHour;

/// Whether both say something, and not the same.
bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

/// Whether both say a time, in one form: of dates nothing tells the zone.
bool can_compare(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && is_digits(a) == is_digits(b);
}

/// Seconds, as if dates were those of UTC; 0 for what is no time.
std::int64_t told_seconds(const std::string& time) {
  const auto at = is_digits(time) ? nanoseconds_of_seconds(time) : parse_date_time(time);
  return at.value_or(0) / 1'000'000'000;
}

/// Whether a system gives its ids again.
bool gives_ids_again(const RunIdentity& run) { return run.system == "sacct"; }

/// Whether a time may be that long behind another one, if their zones may differ.
bool is_behind(const std::string& later, const std::string& earlier, std::int64_t longest) {
  const std::int64_t zones = is_digits(later) == is_digits(earlier) ? 0 : kFarthestZone;
  const std::int64_t wait = told_seconds(later) - told_seconds(earlier);
  return wait >= -zones && wait <= longest + zones;
}

/// Whether times of a job that cannot be compared may be those of one.
bool may_be_near(const RunIdentity& a, const RunIdentity& b) {
  if (!a.submitted.empty() && !b.submitted.empty()) return is_behind(a.submitted, b.submitted, 0);
  if (!a.started.empty() && !b.started.empty()) return is_behind(a.started, b.started, 0);
  if (!a.started.empty() && !b.submitted.empty()) {
    return is_behind(a.started, b.submitted, kLongestWait);
  }
  if (!a.submitted.empty() && !b.started.empty()) {
    return is_behind(b.started, a.submitted, kLongestWait);
  }
  return true;
}

/// Whether nothing that both say of runs of one id differs.
bool may_be_one(const RunIdentity& a, const RunIdentity& b) {
  if (differ(a.cluster, b.cluster)) return false;
  if (can_compare(a.submitted, b.submitted)) return a.submitted == b.submitted;
  if (can_compare(a.started, b.started)) return a.started == b.started;
  const bool has_other_work = differ(a.duration_s, b.duration_s) || differ(a.gpus, b.gpus);
  return !has_other_work && (!gives_ids_again(a) || may_be_near(a, b));
}

std::string key_of(const RunIdentity& run) { return run.system + '\x1f' + run.id; }

}  // namespace

std::int64_t time_of(const RunIdentity& run) {
  return told_seconds(run.submitted.empty() ? run.started : run.submitted);
}

ToldRuns::Forms ToldRuns::forms_of(const RunIdentity& identity) {
  const auto form = [](const std::string& time) {
    return time.empty() ? 0 : is_digits(time) ? 2 : 1;
  };
  return {form(identity.submitted), form(identity.started)};
}

const ToldRuns::RunsOfId* ToldRuns::runs_of_id(const RunIdentity& identity) const {
  const auto known = by_id_.find(key_of(identity));
  return known == by_id_.end() ? nullptr : &known->second;
}

/// The run with the same time.
std::optional<std::size_t> ToldRuns::find_dated(const RunsOfId& runs,
                                                const RunIdentity& identity) const {
  const auto find_at = [&](const std::map<std::string, Places>& by_time,
                           const std::string& time) -> std::optional<std::size_t> {
    const auto known = time.empty() ? by_time.end() : by_time.find(time);
    if (known == by_time.end()) return std::nullopt;
    for (const std::size_t number : known->second) {
      if (may_be_one(runs_[number].identity, identity)) return number;
    }
    return std::nullopt;
  };
  const auto submitted = find_at(runs.by_submission, identity.submitted);
  return submitted ? submitted : find_at(runs.by_start, identity.started);
}

/// A search for the only run that may be one with `identity`, among runs whose times cannot be
/// compared with its own.
struct ToldRuns::Search {
  const RunIdentity& identity;
  std::string_view source;
  bool is_dated;           ///< The identity is.
  bool are_dated = false;  ///< The runs that are looked at are.
  bool has_ended = false;  ///< Nothing more is to be found.
  Match match = {};

  bool ids_come_again() const { return gives_ids_again(identity); }
  /// Whether only runs near in time may be the one.
  bool has_window() const { return ids_come_again() && is_dated && are_dated; }
  void find(std::size_t number) {
    match.is_undecided = match.number.has_value();
    match.number = number;
    // Rows without times are of one order in all files.
    has_ended = match.is_undecided || !ids_come_again() || (!is_dated && !are_dated);
  }
};

void ToldRuns::look_at(const PlacesByTime& places, Search& search) const {
  constexpr std::int64_t kWidest = kLongestWait + kFarthestZone;
  const std::int64_t time = time_of(search.identity);
  auto place = search.has_window() ? places.lower_bound(time - kWidest) : places.begin();
  for (; place != places.end() && !search.has_ended; ++place) {
    if (search.has_window() && place->first > time + kWidest) break;
    if (may_be_one(runs_[place->second].identity, search.identity)) search.find(place->second);
  }
}

void ToldRuns::look_at(const PlacesByFile& files, Search& search) const {
  for (const auto& [file, places] : files) {
    const bool is_own = search.ids_come_again() && !search.source.empty() && file == search.source;
    if (!is_own && !search.has_ended) look_at(places, search);
  }
}

/// Looks at runs of its duration and of none; without a duration at those of the only one.
void ToldRuns::look_at(const PlacesByDuration& durations, Search& search) const {
  const std::string& own = search.identity.duration_s;
  if (own.empty() && durations.size() > 1) {
    search.match.is_undecided = true;
    search.has_ended = true;
  } else if (own.empty()) {
    look_at(durations.begin()->second, search);
  } else {
    for (const std::string& duration : {own, std::string()}) {
      const auto known = durations.find(duration);
      if (known != durations.end()) look_at(known->second, search);
    }
  }
}

ToldRuns::Match ToldRuns::match(const RunIdentity& identity, std::string_view source) const {
  const RunsOfId* const runs = runs_of_id(identity);
  if (runs == nullptr) return {};
  if (const auto dated = find_dated(*runs, identity)) return {.number = dated};
  const Forms forms = forms_of(identity);
  Search search{.identity = identity, .source = source, .is_dated = forms != Forms{}};
  for (const auto& [of, durations] : runs->by_work) {
    const bool are_comparable =
        (of.first != 0 && of.first == forms.first) || (of.second != 0 && of.second == forms.second);
    if (are_comparable || search.has_ended) continue;
    search.are_dated = of != Forms{};
    look_at(durations, search);
  }
  if (search.match.is_undecided) search.match.number.reset();
  return search.match;
}

bool ToldRuns::has_perhaps(const RunIdentity& identity) const {
  const Match found = match(identity, "");
  return found.number || found.is_undecided;
}

bool ToldRuns::has_surely(const RunIdentity& identity) const {
  const RunsOfId* const runs = runs_of_id(identity);
  if (runs == nullptr) return false;
  return find_dated(*runs, identity) || (!gives_ids_again(identity) && find(identity, ""));
}

std::size_t ToldRuns::add(const RunIdentity& identity, std::string_view source) {
  const Match known = match(identity, source);
  RunsOfId& runs = by_id_[key_of(identity)];
  if (known.number) {
    take_out(*known.number, runs);
    learn(*known.number, identity, runs);
    runs_[*known.number].source = source;
    put(*known.number, runs);
    return *known.number;
  }
  const std::size_t number = runs_.size();
  if (known.is_undecided) undecided_.push_back(number);
  runs_.push_back({identity, std::string(source)});
  put(number, runs);
  if (!identity.submitted.empty()) runs.by_submission[identity.submitted].push_back(number);
  if (!identity.started.empty()) runs.by_start[identity.started].push_back(number);
  return number;
}

void ToldRuns::put(std::size_t number, RunsOfId& runs) {
  const auto& [identity, source] = runs_[number];
  runs.by_work[forms_of(identity)][identity.duration_s][source].emplace(time_of(identity), number);
}

void ToldRuns::take_out(std::size_t number, RunsOfId& runs) {
  const auto& [identity, source] = runs_[number];
  auto& by_duration = runs.by_work[forms_of(identity)];
  auto& by_file = by_duration[identity.duration_s];
  PlacesByTime& places = by_file[source];
  const auto [first, last] = places.equal_range(time_of(identity));
  places.erase(
      std::find_if(first, last, [&](const auto& place) { return place.second == number; }));
  if (places.empty()) by_file.erase(source);
  if (by_file.empty()) by_duration.erase(identity.duration_s);
  if (by_duration.empty()) runs.by_work.erase(forms_of(identity));
}

/// Takes what another file adds to the identity of a run.
void ToldRuns::learn(std::size_t number, const RunIdentity& identity, RunsOfId& runs) {
  RunIdentity& known = runs_[number].identity;
  const auto take = [](std::string& text, const std::string& other) {
    if (text.empty()) text = other;
  };
  if (known.submitted.empty() && !identity.submitted.empty()) {
    runs.by_submission[identity.submitted].push_back(number);
  }
  if (known.started.empty() && !identity.started.empty()) {
    runs.by_start[identity.started].push_back(number);
  }
  take(known.cluster, identity.cluster);
  take(known.duration_s, identity.duration_s);
  take(known.gpus, identity.gpus);
  take(known.submitted, identity.submitted);
  take(known.started, identity.started);
}

JobOfId job_of_row(const RowFacts& facts, const RunIdentity& identity) {
  return {.gpus = fact_in(facts, "gpus"),
          .has_run = !fact_in(facts, "duration_s").empty(),
          .time = time_of(identity)};
}

std::vector<std::size_t> jobs_of_log(std::string_view gpus, std::span<const JobOfId> jobs) {
  const auto those_that = [&](const auto& fits) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (fits(jobs[i])) places.push_back(i);
    }
    return places;
  };
  std::vector<std::size_t> fitting;
  if (!gpus.empty()) fitting = those_that([&](const JobOfId& job) { return job.gpus == gpus; });
  if (!gpus.empty() && fitting.empty()) {
    fitting = those_that([](const JobOfId& job) { return job.gpus.empty() && job.has_run; });
  }
  if (fitting.empty()) fitting = those_that([](const JobOfId&) { return true; });
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (const std::size_t place : fitting) {
    const std::int64_t time = jobs[place].time;
    if (time == 0) continue;
    first = std::min(first.value_or(time), time);
    last = std::max(last.value_or(time), time);
  }
  if (first && *last - *first > kLongestWait) fitting.clear();
  return fitting;
}

std::string words_on_logs_without_account(std::size_t count, std::string_view first) {
  return fmt::format(
      "{} no account, the first: {}. Accounts tell of several jobs of its id, and the GPUs do not "
      "tell which it is",
      count == 1 ? "1 log has" : fmt::format("{} logs have", count), first);
}

RowRank rank_of_row(const RowFacts& facts, bool has_ended, std::uint64_t values) {
  const auto filled =
      std::ranges::count_if(facts, [](const auto& fact) { return !fact.second.empty(); });
  const double seconds = parse_number(fact_in(facts, "duration_s")).value_or(0);
  return {has_ended, fact_in(facts, "end_time"), seconds, values, filled};
}

std::vector<Contradiction> contradictions_of(const RowFacts& row, const RowFacts& other) {
  std::vector<Contradiction> found;
  for (const auto& [name, text] : other) {
    const std::string known(fact_in(row, name));
    // Of the ends of a run the later one counts, and dates have zones.
    const bool is_time = name.ends_with("_time");
    const bool can_differ = name != "end_time" && (!is_time || can_compare(known, text));
    if (can_differ && differ(known, text)) {
      found.push_back({name, known, text});
    }
  }
  return found;
}

void fill_row(RowFacts& row, const RowFacts& other, bool fills_empty) {
  for (const auto& [name, text] : other) {
    if (text.empty()) continue;
    const auto known = find_fact(row, name);
    if (known == row.end()) {
      row.emplace_back(name, text);
    } else if (known->second.empty() && fills_empty) {
      known->second = text;
    }
  }
}

}  // namespace scalelaw
