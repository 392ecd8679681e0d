#include "store/kept_units.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/version.hpp"
#include "trace/unit_bytes.hpp"

namespace scalelaw {
namespace {

// A transaction is of at most this much, so that little is lost and others wait for milliseconds.
constexpr std::size_t kUnitsAtOnce = 256;
constexpr std::size_t kBytesAtOnce = 4 << 20;
constexpr std::size_t kFactsAtOnce = 4096;

std::string reading_of(const IngestOptions& options) {
  return fmt::format("format={} columns={} job_column={} period={}", options.format,
                     joined(options.trace.columns, ","), options.trace.job_column,
                     options.trace.period_s);
}

std::set<std::string> jobs_of(const UnitFigures& figures) {
  std::set<std::string> jobs;
  for (const DeviceRow& device : figures.devices) jobs.insert(device.job);
  for (const JobRecord& record : figures.records) jobs.insert(record.job);
  return jobs;
}

/// What makes two units of samples the same: the jobs and nodes that they tell of, and their texts.
std::string identity_of(const UnitFigures& figures) {
  std::set<std::string> parts;
  for (const DeviceRow& device : figures.devices) parts.insert(device.job + '\x1f' + device.node);
  for (const ReadFile& file : figures.files) parts.insert(file.hash);
  std::string identity;
  for (const std::string& part : parts) identity += part + '\x1e';
  return identity;
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

void raise_revision(const Database& store) {
  store.run(
      "UPDATE settings SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = "
      "'revision'");
}

std::int64_t revision_of(const Database& store) {
  return store.integer("SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'revision'");
}

}  // namespace

/// The node of a unit, whose file may be called by several paths.
std::string KeptUnits::node_of(const Unit& unit) const {
  return unit.node.starts_with('\x1f') ? "\x1f" + paths_.of(unit.node.substr(1)) : unit.node;
}

KeptUnits::KeptUnits(const Database& store, const IngestOptions& options)
    : store_(store),
      was_empty_(store.integer("SELECT NOT EXISTS(SELECT 1 FROM files)") == 1),
      known_file_(store,
                  "SELECT format, reading, bytes, mtime_ns, inode FROM files WHERE path = ?"),
      files_of_unit_(
          store,
          "SELECT path, format, reading, bytes, mtime_ns, inode, hash FROM files "
          "WHERE unit = (SELECT id FROM units WHERE job = ? AND node = ?) ORDER BY path"),
      figures_of_unit_(store, "SELECT figures FROM units WHERE job = ? AND node = ?"),
      reading_(reading_of(options)) {}

bool KeptUnits::is_current() const { return revision_of(store_) == revision_; }

const TraceFormat* KeptUnits::known_format(const std::string& path) {
  if (was_empty_) return nullptr;
  const auto state = state_of_file(path);
  const std::string real = paths_.of(path);
  const std::lock_guard lock(mutex_);
  const TraceFormat* format = nullptr;
  if (state && known_file_.with(real).next() && known_file_.text(1) == reading_) {
    const FileState kept{static_cast<std::uint64_t>(known_file_.integer(2)), known_file_.integer(3),
                         static_cast<std::uint64_t>(known_file_.integer(4))};
    if (kept == *state) format = find_trace_format(known_file_.text(0));
  }
  known_file_.reset();
  return format;
}

std::vector<KeptUnits::KeptFile> KeptUnits::files_of(const Key& key) {
  std::vector<KeptFile> files;
  if (was_empty_) return files;
  Statement& rows = files_of_unit_.with(key.first, key.second);
  while (rows.next()) {
    files.push_back({std::string(rows.text(0)),
                     std::string(rows.text(1)),
                     std::string(rows.text(2)),
                     {static_cast<std::uint64_t>(rows.integer(3)), rows.integer(4),
                      static_cast<std::uint64_t>(rows.integer(5))},
                     std::string(rows.text(6))});
  }
  rows.reset();
  return files;
}

bool KeptUnits::is_unchanged(const Unit& unit, const std::vector<KeptFile>& kept) const {
  return std::all_of(unit.files.begin(), unit.files.end(), [&](const TraceFile& file) {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const KeptFile& one) {
      return one.path == paths_.of(file.path);
    });
    return found != kept.end() && found->reading == reading_ &&
           state_of_file(file.path) == found->state;
  });
}

void KeptUnits::add_kept(Unit& unit, const std::vector<KeptFile>& kept) const {
  std::set<std::string> named;
  for (const TraceFile& file : unit.files) named.insert(paths_.of(file.path));
  std::set<std::string> hashes;  // Of the named files, should one that is gone have been moved.
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
        "{}: tells of node {} of job {}, of which the store knows {}, too, and that file is gone: "
        "they can only be read together; 'scalelaw store forget' forgets the older one",
        unit.files.front().path, unit.node, unit.job, file.path));
  }
}

void KeptUnits::drop_copies(Unit& unit, const Key& key) {
  if (unit.files.size() < 2) return;
  std::sort(unit.files.begin(), unit.files.end(), [this](const TraceFile& a, const TraceFile& b) {
    return paths_.of(a.path) < paths_.of(b.path);
  });
  std::set<std::string> seen;
  std::erase_if(unit.files, [&](const TraceFile& file) {
    const auto state = state_of_file(file.path);
    if (!state) return false;
    std::string hash;
    try {
      hash = content_hash_of(file.path);
    } catch (const Error&) {
      return false;  // Its reading will say what is wrong.
    }
    if (seen.insert(hash).second) return false;
    copies_[key].push_back({file.path, *state, hash});
    return true;
  });
}

std::optional<UnitFigures> KeptUnits::recall(Unit& unit) {
  // Beside a file of records other files count, of which the store does not know.
  if (unit.has_records()) return std::nullopt;
  const Key key{unit.job, node_of(unit)};
  const std::lock_guard lock(mutex_);
  const std::vector<KeptFile> kept = files_of(key);
  if (!kept.empty() && is_unchanged(unit, kept)) {
    if (!figures_of_unit_.with(key.first, key.second).next()) store_.refuse("a file without unit");
    UnitFigures figures = unit_figures_of(figures_of_unit_.blob(0));
    figures_of_unit_.reset();
    return figures;
  }
  add_kept(unit, kept);
  drop_copies(unit, key);
  return std::nullopt;
}

void KeptUnits::keep(const Unit& unit, const UnitFigures& figures) {
  if (figures.files.empty()) return;
  Pending kept{.key = {unit.job, node_of(unit)},
               .files = figures.files,
               .paths = {},
               .formats = {},
               .jobs = jobs_of(figures),
               .figures = {}};
  UnitFigures good = figures;
  good.errors.clear();
  const std::lock_guard lock(mutex_);
  const auto copies = copies_.find(kept.key);
  if (copies != copies_.end()) {
    kept.files.insert(kept.files.end(), copies->second.begin(), copies->second.end());
  }
  good.files = kept.files;
  kept.figures = bytes_of(good);
  kept.formats.assign(kept.files.size(), std::string(unit.files.front().format->name));
  for (std::size_t i = 0; i < kept.files.size(); ++i) {
    for (const TraceFile& file : unit.files) {
      if (file.path == kept.files[i].path) kept.formats[i] = file.format->name;
    }
  }
  for (const ReadFile& file : kept.files) kept.paths.push_back(paths_.of(file.path));
  pending_bytes_ += kept.figures.size();
  pending_.push_back(std::move(kept));
  if (pending_.size() >= kUnitsAtOnce || pending_bytes_ >= kBytesAtOnce) flush();
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
        add_unit_(store,
                  "INSERT INTO units(job, node, version, figures) VALUES(?, ?, ?, ?) RETURNING id"),
        add_file_(store, "INSERT INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
        add_job_(store, "INSERT INTO jobs VALUES(?, ?)") {}

  void write(const Pending& unit) {
    const auto& [job, node] = unit.key;
    const bool same = known_.with(job, node).next() && known_.blob(0) == unit.figures;
    known_.reset();
    if (same) return;
    remove_.with(job, node).run();
    for (const std::string& path : unit.paths) displace_.with(path).run();
    const std::int64_t id = add(unit);
    for (std::size_t i = 0; i < unit.files.size(); ++i) {
      add_file(unit, i, id);
    }
    for (const std::string& one : unit.jobs) add_job_.with(one, id).run();
    changed_ = true;
  }
  bool changed() const { return changed_; }

 private:
  std::int64_t add(const Pending& unit) {
    add_unit_.with(unit.key.first, unit.key.second, kVersion, Statement::as_blob(unit.figures));
    if (!add_unit_.next()) store_.refuse("a unit got no number");
    const std::int64_t id = add_unit_.integer(0);
    add_unit_.reset();
    return id;
  }
  void add_file(const Pending& unit, std::size_t place, std::int64_t id) {
    const ReadFile& file = unit.files[place];
    add_file_
        .with(unit.paths[place], id, unit.formats[place], reading_,
              static_cast<std::int64_t>(file.state.bytes), file.state.mtime_ns,
              static_cast<std::int64_t>(file.state.inode), file.hash)
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
  bool changed_ = false;
};

void KeptUnits::flush() {
  if (pending_.empty()) return;
  Transaction transaction(store_);
  Writer writer(store_, reading_);
  for (const Pending& unit : pending_) writer.write(unit);
  if (writer.changed()) raise_revision(store_);
  transaction.commit();
  pending_.clear();
  pending_bytes_ = 0;
}

void KeptUnits::for_each(const std::function<void(UnitFigures&&)>& take) {
  const std::lock_guard lock(mutex_);
  flush();
  store_.run("BEGIN");  // One state, whoever writes meanwhile.
  revision_ = revision_of(store_);
  std::set<std::string> seen;
  Statement order(store_, "SELECT unit, min(path) FROM files GROUP BY unit ORDER BY 2");
  Statement figures(store_, "SELECT figures FROM units WHERE id = ?");
  while (order.next()) {
    if (!figures.with(order.integer(0)).next()) store_.refuse("a file without its unit");
    UnitFigures unit = unit_figures_of(figures.blob(0));
    if (unit.records.empty() && !seen.insert(identity_of(unit)).second) continue;
    take(std::move(unit));
  }
  order.reset();
  figures.reset();
  store_.run("COMMIT");
}

JobFacts KeptUnits::facts() {
  const std::lock_guard lock(mutex_);
  JobFacts facts;
  Statement names(store_, "SELECT name FROM fact_names ORDER BY place");
  while (names.next()) facts.names.emplace_back(names.text(0));
  Statement rows(store_, "SELECT job, cells FROM facts");
  while (rows.next()) {
    std::vector<std::string> cells = cells_of(rows.blob(1), store_);
    cells.resize(facts.names.size());
    facts.rows.emplace(rows.text(0), std::move(cells));
  }
  return facts;
}

void KeptUnits::keep_facts(const JobFacts& facts) {
  const JobFacts before = this->facts();
  const std::lock_guard lock(mutex_);
  std::vector<const std::pair<const std::string, std::vector<std::string>>*> changed;
  for (const auto& row : facts.rows) {
    const auto known = before.rows.find(row.first);
    if (known == before.rows.end() || known->second != row.second) changed.push_back(&row);
  }
  if (changed.empty() && before.names == facts.names) return;
  for (std::size_t begin = 0; begin == 0 || begin < changed.size(); begin += kFactsAtOnce) {
    Transaction transaction(store_);
    Statement add_name(store_, "INSERT OR REPLACE INTO fact_names VALUES(?, ?)");
    for (std::size_t i = 0; begin == 0 && i < facts.names.size(); ++i) {
      add_name.with(static_cast<std::int64_t>(i), facts.names[i]).run();
    }
    Statement add_row(store_, "INSERT OR REPLACE INTO facts VALUES(?, ?)");
    for (std::size_t i = begin; i < std::min(begin + kFactsAtOnce, changed.size()); ++i) {
      add_row.with(changed[i]->first, Statement::as_blob(cells_text(changed[i]->second))).run();
    }
    // A state to which another process added since for_each is not the one that was handed out.
    const bool is_own = revision_of(store_) == revision_;
    raise_revision(store_);
    if (is_own) revision_ = revision_of(store_);
    transaction.commit();
  }
}

}  // namespace scalelaw
