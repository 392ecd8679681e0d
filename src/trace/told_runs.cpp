#include "trace/told_runs.hpp"

#include <algorithm>

#include "trace/formats.hpp"

namespace scalelaw {
namespace {

/// Whether both say something, and not the same.
bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

/// Whether both say a time, in one form: of dates nothing tells the zone.
bool can_compare(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && is_digits(a) == is_digits(b);
}

bool is_dated(const RunIdentity& run) { return !run.submitted.empty() || !run.started.empty(); }

bool is_in_seconds(const RunIdentity& run) {
  return is_digits(run.submitted.empty() ? run.started : run.submitted);
}

/// Whether a system gives its ids again.
bool gives_ids_again(const RunIdentity& run) { return run.system == "sacct"; }

/// Whether nothing that both say of runs of one id differs.
bool may_be_one(const RunIdentity& a, const RunIdentity& b) {
  const bool have_submission = can_compare(a.submitted, b.submitted);
  const bool have_times = have_submission || can_compare(a.started, b.started);
  const bool has_other_time =
      have_submission ? a.submitted != b.submitted : have_times && a.started != b.started;
  const bool has_other_work = differ(a.duration_s, b.duration_s) || differ(a.gpus, b.gpus);
  return !differ(a.cluster, b.cluster) && !has_other_time && (have_times || !has_other_work);
}

std::string key_of(const RunIdentity& run) { return run.system + '\x1f' + run.id; }

}  // namespace

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

std::optional<std::size_t> ToldRuns::find(const RunIdentity& identity,
                                          std::string_view source) const {
  const RunsOfId* const runs = runs_of_id(identity);
  if (runs == nullptr) return std::nullopt;
  if (const auto dated = find_dated(*runs, identity)) return dated;
  const bool come_again = gives_ids_again(identity);
  const auto find_among = [&](const Places& places) -> std::optional<std::size_t> {
    for (const std::size_t number : places) {
      const bool is_of_file = come_again && !source.empty() && runs_[number].source == source;
      if (!is_of_file && may_be_one(runs_[number].identity, identity)) return number;
    }
    return std::nullopt;
  };
  if (!come_again || !is_dated(identity)) return find_among(runs->all);
  const auto undated = find_among(runs->undated);
  return undated ? undated
                 : find_among(is_in_seconds(identity) ? runs->in_words : runs->in_seconds);
}

bool ToldRuns::has_surely(const RunIdentity& identity) const {
  const RunsOfId* const runs = runs_of_id(identity);
  if (runs == nullptr) return false;
  return find_dated(*runs, identity) || (!gives_ids_again(identity) && find(identity, ""));
}

std::size_t ToldRuns::add(const RunIdentity& identity, std::string_view source) {
  const auto known = find(identity, source);
  RunsOfId& runs = by_id_[key_of(identity)];
  if (known) {
    learn(*known, identity, runs);
    runs_[*known].source = source;
    return *known;
  }
  runs_.push_back({identity, std::string(source)});
  runs.all.push_back(runs_.size() - 1);
  place(runs_.size() - 1, runs);
  return runs_.size() - 1;
}

void ToldRuns::place(std::size_t number, RunsOfId& runs) {
  const RunIdentity& identity = runs_[number].identity;
  if (!is_dated(identity)) {
    runs.undated.push_back(number);
  } else {
    (is_in_seconds(identity) ? runs.in_seconds : runs.in_words).push_back(number);
  }
  if (!identity.submitted.empty()) runs.by_submission[identity.submitted].push_back(number);
  if (!identity.started.empty()) runs.by_start[identity.started].push_back(number);
}

/// Takes what another file adds to the identity of a run.
void ToldRuns::learn(std::size_t number, const RunIdentity& identity, RunsOfId& runs) {
  RunIdentity& known = runs_[number].identity;
  const bool adds_submission = known.submitted.empty() && !identity.submitted.empty();
  const bool adds_start = known.started.empty() && !identity.started.empty();
  if (!is_dated(known) && is_dated(identity)) {
    std::erase(runs.undated, number);
    (is_in_seconds(identity) ? runs.in_seconds : runs.in_words).push_back(number);
  }
  if (known.cluster.empty()) known.cluster = identity.cluster;
  if (known.duration_s.empty()) known.duration_s = identity.duration_s;
  if (known.gpus.empty()) known.gpus = identity.gpus;
  if (adds_submission) {
    known.submitted = identity.submitted;
    runs.by_submission[known.submitted].push_back(number);
  }
  if (adds_start) {
    known.started = identity.started;
    runs.by_start[known.started].push_back(number);
  }
}

}  // namespace scalelaw
