#include "study/gate_parts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"

namespace scalelaw {
namespace {

/// How many fits are held at a time.
constexpr std::size_t kFitsAtATime = 512;

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

/// The groups of two tables from one place to another.
struct TablePart {
  std::size_t base_begin;
  std::size_t current_begin;
  std::size_t base_end = 0;
  std::size_t current_end = 0;
};

/// The first group from `begin` on that is not before `key`; the end of all without a key.
std::size_t place_from(const GroupedCells& runs, std::size_t begin,
                       const std::optional<GroupKey>& key) {
  if (!key) return runs.size();
  while (begin < runs.size() && GroupLess()(runs.key(begin), *key)) ++begin;
  return begin;
}

/// The group that neither side passes with so many groups at a time; empty if both sides end.
std::optional<GroupKey> boundary(const GroupedCells& base, const GroupedCells& current,
                                 const TablePart& part) {
  std::optional<GroupKey> least;
  const auto look_at = [&least](const GroupedCells& runs, std::size_t begin) {
    if (runs.size() - begin <= kFitsAtATime) return;
    GroupKey key = runs.key(begin + kFitsAtATime);
    if (!least || GroupLess()(key, *least)) least = std::move(key);
  };
  look_at(base, part.base_begin);
  look_at(current, part.current_begin);
  return least;
}

/// The parts in which two tables are judged, in group order: both sides of a group lie in one.
std::vector<TablePart> parts_of(const GroupedCells& base, const GroupedCells& current) {
  std::vector<TablePart> parts;
  TablePart part{0, 0};
  while (part.base_begin < base.size() || part.current_begin < current.size()) {
    const std::optional<GroupKey> end = boundary(base, current, part);
    part.base_end = place_from(base, part.base_begin, end);
    part.current_end = place_from(current, part.current_begin, end);
    parts.push_back(part);
    part = {part.base_end, part.current_end};
  }
  return parts;
}

/// Where each group begins, the night left out.
std::vector<std::size_t> begins_of(const GroupedCells& by_night) {
  std::vector<std::size_t> begins;
  GroupKey before;
  for (std::size_t i = 0; i < by_night.size(); ++i) {
    GroupKey group = by_night.key(i);
    if (i == 0 || !std::equal(group.begin(), group.end() - 1, before.begin())) begins.push_back(i);
    before = std::move(group);
  }
  begins.push_back(by_night.size());
  return begins;
}

/// Of what a fit is made of.
std::uint64_t hash_of(const std::vector<Cell>& cells) {
  std::uint64_t hash = cells.size();
  for (const Cell& cell : cells) {
    for (const double value : {cell.x, static_cast<double>(cell.count), cell.mean, cell.ss_log}) {
      hash = mix64(hash ^ std::bit_cast<std::uint64_t>(value));
    }
  }
  return hash;
}

/// The begins of parts of whole groups.
std::vector<std::size_t> part_begins(const std::vector<std::size_t>& groups) {
  std::vector<std::size_t> parts{0};
  for (const std::size_t begin : groups) {
    if (begin - parts.back() >= kFitsAtATime) parts.push_back(begin);
  }
  if (parts.back() != groups.back()) parts.push_back(groups.back());
  return parts;
}

}  // namespace

GateParts parts_of_tables(GroupedCells base, GroupedCells current) {
  std::vector<TablePart> places = parts_of(base, current);
  const std::size_t count = places.size();
  return {count, [places = std::move(places), base = std::move(base), current = std::move(current)](
                     std::size_t part, GatePair& pair) {
            const TablePart& place = places[part];
            pair.base.groups = fits_between(base, place.base_begin, place.base_end, pair.base);
            pair.current.groups =
                fits_between(current, place.current_begin, place.current_end, pair.current);
          }};
}

NightTable::NightTable(GroupedCells runs) : runs_(std::move(runs)), begins_(begins_of(runs_)) {}

std::vector<std::string> NightTable::nights() const {
  std::unordered_set<std::string> found;
  for (std::size_t i = 0; i < runs_.size(); ++i) found.insert(runs_.key(i).back());
  std::vector<std::string> nights(found.begin(), found.end());
  std::ranges::sort(nights, natural_less);
  return nights;
}

bool NightTable::has_all_places(const std::string& wanted) const {
  std::vector<Cell> cells;
  for (std::size_t group = 0; group + 1 < begins_.size(); ++group) {
    std::set<double> all;
    std::set<double> of_night;
    for (std::size_t i = begins_[group]; i < begins_[group + 1]; ++i) {
      const bool is_wanted = runs_.key(i).back() == wanted;
      runs_.cells(i, cells);
      for (const Cell& cell : cells) {
        all.insert(cell.x);
        if (is_wanted) of_night.insert(cell.x);
      }
    }
    if (all != of_night) return false;
  }
  return true;
}

bool NightTable::has_repeats() const {
  std::vector<Cell> cells;
  std::vector<std::uint64_t> hashes;
  for (std::size_t group = 0; group + 1 < begins_.size(); ++group) {
    hashes.clear();
    for (std::size_t i = begins_[group]; i < begins_[group + 1]; ++i) {
      runs_.cells(i, cells);
      if (cells.front().x != cells.back().x) hashes.push_back(hash_of(cells));
    }
    std::ranges::sort(hashes);
    if (std::ranges::adjacent_find(hashes) != hashes.end()) return true;
  }
  return false;
}

GateParts NightTable::parts() const {
  const std::vector<std::size_t> parts = part_begins(begins_);
  return {parts.size() - 1, [parts, runs = runs_](std::size_t part, GatePair& pair) {
            std::map<std::string, SavedFits*> nights;
            for (SavedFits& night : pair.earlier) nights[night.night] = &night;
            for (SavedFits* night : {&pair.base, &pair.current}) nights[night->night] = night;
            const std::size_t begin = parts[part];
            for (GroupFit& fit : fits_between(runs, begin, parts[part + 1], pair.base)) {
              SavedFits& night = *nights.at(fit.group.back());
              fit.group.pop_back();
              night.groups.push_back(std::move(fit));
            }
          }};
}

}  // namespace scalelaw
