#include "store/kept_units.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/version.hpp"
#include "store/store_file.hpp"
#include "trace/unit_bytes.hpp"

namespace scalelaw {
namespace {

// A transaction is due after this much reading, so that others wait for milliseconds only, or after
// this time, so that little can be lost.
constexpr std::chrono::milliseconds kTimeAtOnce{250};
constexpr std::size_t kUnitsAtOnce = 512;
constexpr std::size_t kBytesAtOnce = 4 << 20;
// What is read during a transaction waits for the next one, up to this many times as much.
constexpr std::size_t kMostAtOnce = 4;
constexpr std::size_t kFactsAtOnce = 4096;

std::string reading_of(const IngestOptions& options) {
  std::string text = fmt::format("format={} columns={} job_column={} period={}", options.format,
                                 joined(options.trace.columns, ","), options.trace.job_column,
                                 options.trace.period_s);
  // Stores of earlier versions know neither.
  if (!options.trace.name_pattern.empty()) text += " names=" + options.trace.name_pattern;
  if (!options.trace.metrics.empty()) text += " metrics=" + joined(options.trace.metrics, ",");
  return text;
}

std::set<std::string> jobs_of(const UnitFigures& figures) {
  std::set<std::string> jobs;
  for (const DeviceRow& device : figures.devices) jobs.insert(device.job);
  for (const JobRecord& record : figures.records) jobs.insert(record.job);
  return jobs;
}

/// Two units of samples with the same identity are the same: it names their jobs, nodes and texts.
std::string identity_of(const UnitFigures& figures) {
  std::set<std::string> parts;
  for (const DeviceRow& device : figures.devices) parts.insert(device.job + '\x1f' + device.node);
  for (const ReadFile& file : figures.files) parts.insert(file.hash);
  std::string identity;
  for (const std::string& part : parts) identity += part + '\x1e';
  return identity;
}

bool is_compressed(const std::string& path) {
  try {
    return InputFile(path).compression() != Compression::kNone;
  } catch (const Error&) {
    return false;  // Reading it will report the error.
  }
}

/// Files of a unit that may have the same text as another: those of equal size, or all if one is
/// compressed. The others need not be read twice.
std::set<std::string> possible_copies(const Unit& unit) {
  std::map<std::uint64_t, std::vector<std::string>> by_size;
  bool any_compressed = false;
  for (const TraceFile& file : unit.files) {
    const auto state = state_of_file(file.path);
    if (state) by_size[state->bytes].push_back(file.path);
    any_compressed = any_compressed || is_compressed(file.path);
  }
  std::set<std::string> paths;
  for (const auto& [size, files] : by_size) {
    if (files.size() > 1 || any_compressed) paths.insert(files.begin(), files.end());
  }
  return paths;
}

std::string cells_text(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += fmt::format("{}:", cell.size()) + cell;
  return text;
}

std::vector<std::string> cells_of(std::string_view text, const Database& store) {
  std::vector<std::string> cells;
  while (!text.empty()) {
    std::size_t length = 0;
    std::size_t at = 0;
    while (at < text.size() && at < 9 && text[at] >= '0' && text[at] <= '9') {
      length = 10 * length + static_cast<std::size_t>(text[at++] - '0');
    }
    if (at == 0 || at >= text.size() || text[at] != ':' || length > text.size() - at - 1) {
      store.refuse("facts of a job");
    }
    cells.emplace_back(text.substr(at + 1, length));
    text.remove_prefix(at + 1 + length);
  }
  return cells;
}

}  // namespace

/// The node of a unit, whose file may have several paths.
std::string KeptUnits::node_of(const Unit& unit) const {
  return unit.node.starts_with('\x1f') ? '\x1f' + paths_.of(unit.node.substr(1)) : unit.node;
}

KeptUnits::KeptUnits(const Database& store, const IngestOptions& options)
    : store_(store),
      reading_(reading_of(options)),
      own_revision_(revision_of(store)),
      was_empty_(store.integer("SELECT NOT EXISTS(SELECT 1 FROM files)") == 1),
      known_file_(store,
                  "SELECT format, reading, bytes, mtime_ns, inode FROM files WHERE path = ?"),
      files_of_unit_(
          store,
          "SELECT path, format, reading, bytes, mtime_ns, inode, hash FROM files "
          "WHERE unit = (SELECT id FROM units WHERE job = ? AND node = ?) ORDER BY path"),
      figures_of_unit_(store, "SELECT figures, id FROM units WHERE job = ? AND node = ?"),
      hashes_(store) {}

bool KeptUnits::is_current() const { return revision_of(store_) == revision_; }

const TraceFormat* KeptUnits::known_format(const std::string& path) {
  if (was_empty_) return nullptr;
  const auto state = state_of_file(path);
  const std::string real = paths_.of(path);
  const std::lock_guard lock(mutex_);
  const ResetAtEnd reset(known_file_);
  const TraceFormat* format = nullptr;
  if (state && known_file_.with(real).next() && known_file_.text(1) == reading_) {
    if (file_state_in(known_file_, 2) == *state) format = find_trace_format(known_file_.text(0));
  }
  return format;
}

std::vector<KeptUnits::KeptFile> KeptUnits::files_of(const Key& key) {
  std::vector<KeptFile> files;
  if (was_empty_) return files;
  const ResetAtEnd reset(files_of_unit_);
  Statement& rows = files_of_unit_.with(key.first, key.second);
  while (rows.next()) {
    files.push_back({std::string(rows.text(0)), std::string(rows.text(1)),
                     std::string(rows.text(2)), file_state_in(rows, 3), std::string(rows.text(6))});
  }
  return files;
}

bool KeptUnits::is_unchanged(const Unit& unit, const std::vector<KeptFile>& kept) const {
  return std::ranges::all_of(unit.files, [&](const TraceFile& file) {
    const auto found = std::ranges::find_if(
        kept, [&](const KeptFile& one) { return one.path == paths_.of(file.path); });
    return found != kept.end() && found->reading == reading_ &&
           state_of_file(file.path) == found->state;
  });
}

void KeptUnits::add_kept(Unit& unit, const std::vector<KeptFile>& kept) const {
  if (kept.empty()) return;
  std::set<std::string> named;
  for (const TraceFile& file : unit.files) named.insert(paths_.of(file.path));
  std::set<std::string> hashes;  // Hashes of the named files, in case a missing file was moved.
  for (const KeptFile& file : kept) {
    if (named.contains(file.path)) continue;
    const TraceFormat* format = find_trace_format(file.format);
    if (format == nullptr) store_.refuse("a format that does not exist");
    if (is_regular_file(file.path)) {
      unit.files.push_back({file.path, format, format->origin(file.path), nullptr});
      unit.bytes += file.state.bytes;
      continue;
    }
    if (hashes.empty()) {
      for (const std::string& path : named) hashes.insert(content_hash_of(path));
    }
    if (hashes.contains(file.hash)) continue;
    throw DataError(fmt::format(
        "{}: it holds samples of node {} of job {}, as does {}, which the store knows but which is "
        "gone. Both can only be read together: forget the older file with 'scalelaw store forget'",
        unit.files.front().path, unit.node, unit.job, file.path));
  }
}

void KeptUnits::drop_copies(Unit& unit, const Key& key) {
  if (unit.files.size() < 2) return;
  std::ranges::sort(unit.files, {}, [this](const TraceFile& file) { return paths_.of(file.path); });
  const std::set<std::string> candidates = possible_copies(unit);
  std::set<std::string> seen;
  std::erase_if(unit.files, [&](const TraceFile& file) {
    const auto state = state_of_file(file.path);
    if (!state || !candidates.contains(file.path)) return false;
    std::string hash;
    try {
      hash = content_hash_of(file.path);
    } catch (const Error&) {
      return false;  // Reading it will report the error.
    }
    if (seen.insert(hash).second) return false;
    const std::lock_guard lock(collecting_);
    copies_[key].push_back({file.path, *state, hash});
    return true;
  });
}

void KeptUnits::refuse_changed(std::int64_t unit) {
  const std::string defect = hashes_.defect_of(unit);
  if (!defect.empty()) store_.refuse(defect);
}

std::optional<UnitFigures> KeptUnits::recall(Unit& unit) {
  // Other files matter for a file of records, and the store does not know them.
  if (unit.has_records()) return std::nullopt;
  const Key key{unit.job, node_of(unit)};
  const std::lock_guard lock(mutex_);
  // One state of the store, whoever writes meanwhile.
  const Transaction view(store_, Transaction::Kind::kRead);
  const std::vector<KeptFile> kept = files_of(key);
  const ResetAtEnd reset(figures_of_unit_);
  const bool is_known = !was_empty_ && figures_of_unit_.with(key.first, key.second).next();
  if (!is_known && !kept.empty()) store_.refuse("a file without unit");
  if (is_known) refuse_changed(figures_of_unit_.integer(1));
  if (is_known && is_unchanged(unit, kept)) return unit_figures_of(figures_of_unit_.blob(0));
  if (!kept.empty()) {
    Contents& seen = seen_[key];
    for (const KeptFile& file : kept) seen.emplace_back(file.path, file.hash);
  }
  add_kept(unit, kept);
  drop_copies(unit, key);
  return std::nullopt;
}

bool KeptUnits::knows(const Unit& unit) {
  const std::lock_guard lock(mutex_);
  const std::vector<KeptFile> kept = files_of({unit.job, node_of(unit)});
  return !kept.empty() && is_unchanged(unit, kept);
}

KeptUnits::Pending KeptUnits::pending_of(const Unit& unit, const UnitFigures& figures) {
  Pending kept{
      .key = {unit.job, node_of(unit)}, .jobs = jobs_of(figures), .is_alone = unit.has_records()};
  UnitFigures good = figures;
  good.errors.clear();
  {
    const std::lock_guard lock(collecting_);
    const auto copies = copies_.find(kept.key);
    if (copies != copies_.end()) {
      good.files.insert(good.files.end(), copies->second.begin(), copies->second.end());
    }
  }
  kept.figures = bytes_of(good);
  for (const ReadFile& file : good.files) {
    const auto read = std::ranges::find(unit.files, file.path, &TraceFile::path);
    const TraceFile& alike = read == unit.files.end() ? unit.files.front() : *read;
    kept.files.push_back({file, paths_.of(file.path), alike.format->name});
  }
  return kept;
}

bool KeptUnits::is_due() const {
  const bool is_late = std::chrono::steady_clock::now() - written_ >= kTimeAtOnce;
  return is_late || pending_.size() >= kUnitsAtOnce || pending_bytes_ >= kBytesAtOnce;
}

bool KeptUnits::is_full() const {
  return pending_.size() >= kMostAtOnce * kUnitsAtOnce ||
         pending_bytes_ >= kMostAtOnce * kBytesAtOnce;
}

std::vector<KeptUnits::Pending> KeptUnits::take_pending() {
  pending_bytes_ = 0;
  return std::exchange(pending_, {});
}

/// While one thread writes what is due, the others continue to read. If it cannot write, no other
/// thread tries.
void KeptUnits::keep(const Unit& unit, const UnitFigures& figures) {
  if (figures.files.empty()) return;
  Pending kept = pending_of(unit, figures);
  std::unique_lock collecting(collecting_);
  room_.wait(collecting, [this] { return !writing_ || !is_full(); });
  if (failure_) std::rethrow_exception(failure_);
  pending_bytes_ += kept.figures.size();
  pending_.push_back(std::move(kept));
  if (writing_ || !is_due()) return;
  writing_ = true;
  const std::vector<Pending> due = take_pending();
  collecting.unlock();
  std::exception_ptr failure;
  try {
    const std::lock_guard lock(mutex_);
    write(due);
  } catch (...) {
    failure = std::current_exception();
  }
  collecting.lock();
  writing_ = false;
  written_ = std::chrono::steady_clock::now();
  failure_ = failure;
  room_.notify_all();
  if (failure) std::rethrow_exception(failure);
}

/// Writes units within a transaction.
class KeptUnits::Writer {
 public:
  Writer(const Database& store, const std::string& reading)
      : store_(store),
        reading_(reading),
        known_(store, "SELECT figures FROM units WHERE job = ? AND node = ?"),
        remove_(store, "DELETE FROM units WHERE job = ? AND node = ?"),
        displace_(store, "DELETE FROM units WHERE id IN (SELECT unit FROM files WHERE path = ?)"),
        add_unit_(store, "INSERT INTO units(job, node, version, figures) VALUES(?, ?, ?, ?)"),
        add_file_(store, "INSERT INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
        add_job_(store, "INSERT INTO jobs VALUES(?, ?)"),
        hashes_(store) {}

  bool is_known(const Pending& unit) {
    const ResetAtEnd reset(known_);
    return known_.with(unit.key.first, unit.key.second).next() && known_.blob(0) == unit.figures;
  }
  /// Replaces what was kept for the same unit and the same files.
  void replace(const Pending& unit) {
    remove_.with(unit.key.first, unit.key.second).run();
    for (const PendingFile& file : unit.files) displace_.with(file.path).run();
    add(unit);
  }
  void add(const Pending& unit) {
    add_unit_.with(unit.key.first, unit.key.second, kVersion, Statement::as_blob(unit.figures))
        .run();
    const std::int64_t id = store_.last_id();
    for (const PendingFile& file : unit.files) add_file(file, id);
    for (const std::string& one : unit.jobs) add_job_.with(one, id).run();
    hashes_.note(id);
    changed_ = true;
  }
  bool changed() const { return changed_; }

 private:
  void add_file(const PendingFile& file, std::int64_t unit) {
    const FileState& state = file.file.state;
    add_file_
        .with(file.path, unit, file.format, reading_, static_cast<std::int64_t>(state.bytes),
              state.mtime_ns, static_cast<std::int64_t>(state.inode), file.file.hash)
        .run();
  }

  const Database& store_;
  const std::string& reading_;
  Statement known_;
  Statement remove_;
  Statement displace_;
  Statement add_unit_;
  Statement add_file_;
  Statement add_job_;
  UnitHashes hashes_;
  bool changed_ = false;
};

/// Whether no process kept anything for the unit since it was looked up.
bool KeptUnits::is_as_seen(const Pending& unit) {
  if (unit.is_alone) return true;
  Contents now;
  for (const KeptFile& file : files_of(unit.key)) now.emplace_back(file.path, file.hash);
  const auto seen = seen_.find(unit.key);
  return now == (seen == seen_.end() ? Contents() : seen->second);
}

void KeptUnits::write(const std::vector<Pending>& units) {
  if (units.empty()) return;
  Transaction transaction(store_);
  // In a store that was empty and that no other process changed, nothing has to be looked up:
  // ingest hands out each unit and each file once.
  const bool is_own = was_empty_ && revision_of(store_) == own_revision_;
  was_empty_ = is_own;
  Writer writer(store_, reading_);
  for (const Pending& unit : units) {
    if (is_own) {
      writer.add(unit);
    } else if (writer.is_known(unit)) {
      continue;
    } else if (is_as_seen(unit)) {
      writer.replace(unit);
    } else {
      for (const PendingFile& file : unit.files) given_back_.push_back(file.file.path);
    }
  }
  if (writer.changed()) raise_revision(store_);
  const std::int64_t left = revision_of(store_);
  transaction.commit();
  own_revision_ = left;
}

void KeptUnits::for_each(const std::function<void(UnitFigures&&)>& take) {
  std::vector<Pending> rest;
  {
    const std::lock_guard collecting(collecting_);
    rest = take_pending();
  }
  const std::lock_guard lock(mutex_);
  write(rest);
  Transaction view(store_, Transaction::Kind::kRead);
  revision_ = revision_of(store_);
  std::set<std::string> seen;
  std::int64_t units = 0;
  Statement order(store_, "SELECT unit, min(path) FROM files GROUP BY unit ORDER BY 2");
  Statement figures(store_, "SELECT figures FROM units WHERE id = ?");
  while (order.next()) {
    if (!figures.with(order.integer(0)).next()) store_.refuse("a file without its unit");
    refuse_changed(order.integer(0));
    ++units;
    UnitFigures unit = unit_figures_of(figures.blob(0));
    if (unit.records.empty() && !seen.insert(identity_of(unit)).second) continue;
    take(std::move(unit));
  }
  order.reset();
  figures.reset();
  if (units != store_.integer("SELECT count(*) FROM units_hashes")) {
    store_.refuse("results are gone; 'scalelaw store verify' tells of them");
  }
  view.commit();
}

JobFacts KeptUnits::facts(bool tables_follow) {
  const std::lock_guard lock(mutex_);
  refuse_changed_fact_names(store_);
  JobFacts facts;
  changed_facts_.clear();
  store_.for_each_row("SELECT name FROM fact_names ORDER BY place",
                      [&](const Statement& row) { facts.names.emplace_back(row.text(0)); });
  store_.for_each_row(
      "SELECT facts.job, cells, ifnull(hash, '') FROM facts LEFT JOIN facts_hashes USING(job)",
      [&](const Statement& row) {
        if (row.text(2) != hash_of_facts(row.text(0), row.blob(1))) {
          changed_facts_.emplace(row.text(0));
          return;
        }
        std::vector<std::string> cells = cells_of(row.blob(1), store_);
        cells.resize(facts.names.size());
        facts.rows.emplace(row.text(0), std::move(cells));
      });
  if (!tables_follow) expect_changed_in(facts);
  facts_before_ = facts;
  return facts;
}

void KeptUnits::expect_changed_in(const JobFacts& facts) const {
  for (const std::string& job : changed_facts_) {
    if (!facts.rows.contains(job)) store_.refuse(changed_facts_sentence(job));
  }
}

/// The place of each name in the store. Unknown names are added at the end.
std::vector<std::size_t> KeptUnits::places_of(const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> known;
  Statement rows(store_, "SELECT name, place FROM fact_names");
  std::size_t end = 0;
  while (rows.next()) {
    const auto place = static_cast<std::size_t>(rows.integer(1));
    known.emplace(rows.text(0), place);
    end = std::max(end, place + 1);
  }
  Statement add(store_, "INSERT INTO fact_names VALUES(?, ?)");
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto [place, is_new] = known.try_emplace(name, end);
    if (is_new) add.with(static_cast<std::int64_t>(end++), name).run();
    places.push_back(place->second);
  }
  return places;
}

/// Writes facts from tables of jobs, within a transaction.
class KeptUnits::FactsWriter {
 public:
  FactsWriter(const Database& store, const JobFacts& before, const std::set<std::string>& changed)
      : store_(store),
        before_(before),
        changed_(changed),
        row_(store, "SELECT cells FROM facts WHERE job = ?"),
        replace_(store, "INSERT OR REPLACE INTO facts VALUES(?, ?)"),
        note_hash_(store, "INSERT OR REPLACE INTO facts_hashes VALUES(?, ?)") {}

  /// Changes the cells of a job that differ from the earlier ones. For the other cells, the store
  /// may know more by now.
  void keep(const std::string& job, const std::vector<std::string>& cells,
            const std::vector<std::size_t>& places) {
    std::vector<std::string> now = kept_cells_of(job);
    const auto before = before_.rows.find(job);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool was_there = before != before_.rows.end() && i < before->second.size();
      if (cells[i] == (was_there ? before->second[i] : "")) continue;
      if (now.size() <= places[i]) now.resize(places[i] + 1);
      now[places[i]] = cells[i];
    }
    const std::string text = cells_text(now);
    replace_.with(job, Statement::as_blob(text)).run();
    note_hash_.with(job, hash_of_facts(job, text)).run();
  }

 private:
  std::vector<std::string> kept_cells_of(const std::string& job) {
    if (changed_.contains(job)) return {};
    const ResetAtEnd reset(row_);
    return row_.with(job).next() ? cells_of(row_.blob(0), store_) : std::vector<std::string>();
  }

  const Database& store_;
  const JobFacts& before_;
  const std::set<std::string>& changed_;
  Statement row_;
  Statement replace_;
  Statement note_hash_;
};

void KeptUnits::keep_facts(const JobFacts& facts) {
  const std::lock_guard lock(mutex_);
  expect_changed_in(facts);
  std::vector<const std::pair<const std::string, std::vector<std::string>>*> changed;
  for (const auto& row : facts.rows) {
    const auto known = facts_before_.rows.find(row.first);
    if (known == facts_before_.rows.end() || known->second != row.second) changed.push_back(&row);
  }
  if (changed.empty() && facts_before_.names == facts.names) return;
  for (std::size_t begin = 0; begin == 0 || begin < changed.size(); begin += kFactsAtOnce) {
    Transaction transaction(store_);
    const std::vector<std::size_t> places = places_of(facts.names);
    note_hash_of_fact_names(store_);
    FactsWriter writer(store_, facts_before_, changed_facts_);
    for (std::size_t i = begin; i < std::min(begin + kFactsAtOnce, changed.size()); ++i) {
      writer.keep(changed[i]->first, changed[i]->second, places);
    }
    // If another process changed the store since for_each, its state is not the one that was handed
    // out.
    const bool is_own = revision_of(store_) == revision_;
    raise_revision(store_);
    if (is_own) revision_ = revision_of(store_);
    transaction.commit();
  }
}

}  // namespace scalelaw
