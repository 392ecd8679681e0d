#include "trace/sacct_columns.hpp"

#include <algorithm>
#include <cctype>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

using enum SacctField;

/// Names of fields in lower case (src/sacct/sacct.c, fields[]); those that mean nothing here only
/// help to recognise a header.
struct FieldName {
  std::string_view name;
  SacctField field;
};
constexpr FieldName kSacctNames[] = {
    {"jobid", kId},
    {"jobidraw", kRawId},
    {"jobname", kName},
    {"partition", kPartition},
    {"account", kAccount},
    {"user", kUser},
    {"qos", kQos},
    {"state", kState},
    {"alloctres", kTres},
    {"allocgres", kGres},
    {"nnodes", kNodes},
    {"allocnodes", kNodes},
    {"ncpus", kCpus},
    {"alloccpus", kCpus},
    {"elapsed", kElapsed},
    {"elapsedraw", kElapsedRaw},
    {"consumedenergy", kConsumedEnergy},
    {"consumedenergyraw", kEnergyRaw},
    {"submit", kSubmit},
    {"start", kStart},
    {"end", kEnd},
    {"nodelist", kNodeList},
    {"cluster", kCluster},
};
constexpr std::string_view kOtherNames[] = {
    "exitcode", "reqtres", "group",  "uid",     "ntasks",       "timelimit",       "cputime",
    "totalcpu", "maxrss",  "reqmem", "workdir", "cputimeraw",   "reqcpus",         "reqnodes",
    "comment",  "reason",  "layout", "avecpu",  "timelimitraw", "derivedexitcode", "reqgres"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_sacct_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_of(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

/// Whether a comma at `at` stands inside brackets: "node[1,3]".
bool is_in_brackets(std::string_view field) {
  const std::size_t open = field.rfind('[');
  return open != std::string_view::npos && !holds(field.substr(open), ']');
}

/// The name of a resource without its type: "gres/gpu" of "gres/gpu:a100=4".
std::string_view resource_of(std::string_view item) {
  return item.substr(0, std::min(item.find('='), item.find(':')));
}

/// Whether a piece continues a list of resources, which are in the order of their names; those of
/// several types come in any order.
bool continues_tres(std::string_view field, std::string_view piece) {
  const std::size_t comma = field.rfind(',');
  const std::string_view last = field.substr(comma == std::string_view::npos ? 0 : comma + 1);
  if (!holds(piece, '=') || !holds(last, '=')) return false;
  const std::string_view before = resource_of(last);
  const std::string_view now = resource_of(piece);
  return before < now || (before == now && now.starts_with("gres/"));
}

void join_at_commas(std::vector<std::string_view>& fields) {
  std::vector<std::string_view> joined;
  for (const std::string_view piece : fields) {
    if (!joined.empty() &&
        (is_in_brackets(joined.back()) || continues_tres(joined.back(), piece))) {
      const char* const begin = joined.back().data();
      joined.back() = {begin, static_cast<std::size_t>(piece.data() + piece.size() - begin)};
    } else {
      joined.push_back(piece);
    }
  }
  fields = std::move(joined);
}

void name_columns(SacctLayout& layout, std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = lower_case(names[i].substr(0, names[i].find('%')));
    for (const FieldName& known : kSacctNames) {
      if (known.name == name && !layout.has(known.field)) layout.at(known.field) = i;
    }
  }
  layout.fields = names.size();
}

/// The characters behind the id of a line that may delimit fields, from one to four of them.
std::vector<std::string> delimiters_of(std::string_view line) {
  std::size_t begin = line.find_first_not_of("0123456789_+.[]-%,abcdefghijklmnopqrstuvwxyz");
  const std::size_t comma = line.find(',');
  // In "123,name" the comma may delimit; in "123_[1,3]|name" it does not.
  if (comma < begin && line.find('[') > comma) begin = comma;
  std::vector<std::string> delimiters;
  std::size_t end = begin;
  for (int characters = 0; characters < 4 && end < line.size(); ++characters) {
    if (std::isalnum(static_cast<unsigned char>(line[end])) != 0) break;
    ++end;
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) ++end;
    delimiters.emplace_back(line.substr(begin, end - begin));
  }
  return delimiters;
}

/// The rows of a text, divided by one delimiter.
using SacctRows = std::vector<std::vector<std::string_view>>;

SacctRows rows_of(std::span<const std::string> lines, std::string_view delimiter) {
  SacctRows rows;
  for (const std::string& line : lines) split_sacct(line, delimiter, rows.emplace_back());
  return rows;
}

/// Seconds in a cell of Elapsed or ElapsedRaw.
std::optional<double> sacct_duration(std::string_view cell) {
  return is_digits(cell) ? parse_number(cell) : sacct_seconds(cell);
}

/// Finds what the columns of one way to divide the lines hold.
class CellColumns {
 public:
  explicit CellColumns(SacctRows rows) : rows_(std::move(rows)) {
    width_ = rows_.empty() ? 0 : rows_.front().size();
    std::erase_if(rows_,
                  [&](const auto& row) { return row.size() != width_ || !sacct_id(row.front()); });
  }

  std::size_t width() const { return width_; }
  std::size_t rows() const { return rows_.size(); }

  /// The columns of which all cells are of a kind, or fewer than one in `rarest` is not; empty ones
  /// do not count.
  template <class IsKind>
  std::vector<std::size_t> columns_of(const IsKind& is_kind, std::size_t rarest = 0) const {
    std::vector<std::size_t> columns;
    for (std::size_t column = 1; column < width_; ++column) {
      std::size_t filled = 0;
      std::size_t others = 0;
      for (const auto& row : rows_) {
        filled += row[column].empty() ? 0 : 1;
        others += row[column].empty() || is_kind(row[column]) ? 0 : 1;
      }
      const bool fits = others == 0 || (rarest > 0 && others * rarest < filled);
      if (fits && filled > 0) columns.push_back(column);
    }
    return columns;
  }

  /// In how many rows a column of jobs or of steps is filled.
  std::size_t filled(std::size_t column, bool of_steps) const {
    return static_cast<std::size_t>(std::ranges::count_if(rows_, [&](const auto& row) {
      return sacct_id(row.front())->step.empty() != of_steps && !row[column].empty();
    }));
  }

  /// How many rows say that `elapsed` lies between `start` and `end`, and how many deny it.
  std::pair<std::size_t, std::size_t> votes(std::size_t start, std::size_t end,
                                            std::size_t elapsed) const {
    std::pair<std::size_t, std::size_t> votes{0, 0};
    for (const auto& row : rows_) {
      const auto from = parse_date_time(row[start]);
      const auto to = parse_date_time(row[end]);
      const auto seconds = sacct_duration(row[elapsed]);
      if (!from || !to || !seconds || *to <= *from) continue;
      ++(seconds_between(*from, *to) == *seconds ? votes.first : votes.second);
    }
    return votes;
  }

  /// Whether rows differ in the GPUs of two columns of resources.
  bool gpus_differ(std::size_t a, std::size_t b) const {
    return std::ranges::any_of(rows_, [&](const auto& row) {
      return !row[a].empty() && !row[b].empty() &&
             tres_amount(row[a], "gres/gpu") != tres_amount(row[b], "gres/gpu");
    });
  }

 private:
  SacctRows rows_;
  std::size_t width_ = 0;
};

/// "COMPLETED", "CANCELLED by 1000", ...
bool is_sacct_state(std::string_view text) {
  // src/common/slurm_protocol_defs.c, job_state_string().
  static constexpr std::string_view kStates[] = {
      "PENDING",       "RUNNING",       "SUSPENDED",    "COMPLETED",     "CANCELLED",
      "FAILED",        "TIMEOUT",       "NODE_FAIL",    "PREEMPTED",     "BOOT_FAIL",
      "DEADLINE",      "OUT_OF_MEMORY", "REQUEUED",     "RESIZING",      "REVOKED",
      "CONFIGURING",   "COMPLETING",    "SIGNALING",    "STAGE_OUT",     "SPECIAL_EXIT",
      "REQUEUE_FED",   "STOPPED",       "REQUEUE_HOLD", "LAUNCH_FAILED", "RECONFIG_FAIL",
      "POWER_UP_NODE", "UPDATE_DB",     "EXPEDITING"};
  if (text.starts_with("CANCELLED by ")) text = text.substr(0, 9);
  return is_one_of(text, kStates);
}

/// Whether a text lists resources: "billing=8,cpu=8,gres/gpu=1,mem=10G,node=1".
bool is_sacct_tres(std::string_view text) {
  // Lists of what was used have times of processors, and neither nodes nor a price.
  const std::string_view processors = tres_amount(text, "cpu");
  const bool is_allocated = !tres_amount(text, "node").empty() ||
                            !tres_amount(text, "billing").empty() ||
                            (!processors.empty() && !tres_amount(text, "mem").empty());
  return is_allocated && !holds(processors, ':');
}

/// Versions of Slurm to come have states and resources of their own, in a few rows.
constexpr std::size_t kRarest = 4;

bool is_time(std::string_view text) {
  return text == "Unknown" || text == "None" || parse_date_time(text).has_value();
}

/// ReqTRES and AllocTRES look alike. Only the latter is filled for steps, and only the former for
/// jobs that never started.
std::size_t allocated_column(const CellColumns& cells) {
  std::size_t best = kNowhere;
  for (const std::size_t column : cells.columns_of(is_sacct_tres, kRarest)) {
    if (best == kNowhere) {
      best = column;
      continue;
    }
    const auto rank = [&](std::size_t one) {
      return std::pair(cells.filled(one, true), -static_cast<long>(cells.filled(one, false)));
    };
    // Where nothing tells them apart, only what both say counts.
    if (rank(column) == rank(best) && cells.gpus_differ(column, best)) return kNowhere;
    if (rank(column) > rank(best)) best = column;
  }
  return best;
}

/// Finds start, end and elapsed time by what lies between two columns of times in most rows. Clocks
/// that are set back make a few exceptions. Numbers without a unit are seconds only if such columns
/// say so.
void find_times(const CellColumns& cells, SacctLayout& layout) {
  const auto columns_of = [&cells](const auto& is_kind) {
    constexpr std::size_t kMost = 100;  // sacct has fewer fields of a kind.
    auto columns = cells.columns_of(is_kind);
    columns.resize(std::min(columns.size(), kMost));
    return columns;
  };
  const auto times = columns_of(is_time);
  const auto durations =
      columns_of([](std::string_view text) { return sacct_seconds(text).has_value(); });
  std::size_t most = 0;
  const auto find_among = [&](const std::vector<std::size_t>& columns, SacctField field) {
    for (std::size_t a = 0; a + 1 < times.size(); ++a) {
      for (const std::size_t elapsed : columns) {
        const auto [yes, no] = cells.votes(times[a], times[a + 1], elapsed);
        if (yes <= most || yes < 4 * no) continue;
        most = yes;
        layout.at(kStart) = times[a];
        layout.at(kEnd) = times[a + 1];
        layout.at(field) = elapsed;
      }
    }
  };
  find_among(durations, kElapsed);
  if (most == 0) find_among(columns_of(is_digits), kElapsedRaw);
  // Without times, one column of durations can only be the elapsed one if it is the only one.
  if (most == 0 && durations.size() == 1) layout.at(kElapsed) = durations.front();
}

SacctLayout sacct_layout(const CellColumns& cells) {
  SacctLayout layout;
  const auto states = cells.columns_of(is_sacct_state, kRarest);
  if (states.empty() || cells.rows() == 0) return layout;
  layout.fields = cells.width();
  layout.at(kId) = 0;
  layout.at(kState) = states.front();
  layout.at(kTres) = allocated_column(cells);
  find_times(cells, layout);
  return layout;
}

}  // namespace

std::optional<SacctId> sacct_id(std::string_view text) {
  const std::size_t digits = digits_of(text);
  const std::size_t point = std::min(text.find('.'), text.size());
  if (digits == 0 || digits > 18) return std::nullopt;
  // Tasks of an array (_3, _[1-10%2]) and components of a heterogeneous job (+1).
  const std::string_view part = text.substr(digits, point - digits);
  const bool is_part =
      part.empty() || ((part.front() == '_' || part.front() == '+') && part.size() > 1 &&
                       part.find_first_not_of("0123456789_+[]-,%.") == std::string_view::npos);
  if (!is_part) return std::nullopt;
  const std::string_view step = text.substr(std::min(point + 1, text.size()));
  const bool is_step = std::ranges::all_of(
      step, [](char c) { return is_sacct_digit(c) || is_letter(c) || c == '+' || c == '_'; });
  if (!is_step || (point < text.size() && step.empty())) return std::nullopt;
  return SacctId{text.substr(0, point), step};
}

std::string_view tres_amount(std::string_view tres, std::string_view name) {
  while (!tres.empty()) {
    const std::string_view item = tres.substr(0, tres.find(','));
    tres.remove_prefix(std::min(item.size() + 1, tres.size()));
    if (item.size() > name.size() && item.starts_with(name) && item[name.size()] == '=') {
      return item.substr(name.size() + 1);
    }
  }
  return {};
}

std::optional<GresGpus> gres_gpus(std::string_view gres) {
  std::optional<GresGpus> gpus;
  while (!gres.empty()) {
    std::string_view item = gres.substr(0, gres.find(','));
    gres.remove_prefix(std::min(item.size() + 1, gres.size()));
    item = item.substr(0, item.find('('));  // "gpu:4(S:0-1)": the sockets.
    if (item.starts_with("gres:")) item.remove_prefix(5);
    if (!item.starts_with("gpu:")) continue;
    item.remove_prefix(4);
    const std::size_t colon = item.rfind(':');
    const auto count = parse_number(item.substr(colon == std::string_view::npos ? 0 : colon + 1));
    if (!count || !(*count > 0)) continue;
    const std::string_view type =
        colon == std::string_view::npos ? std::string_view() : item.substr(0, colon);
    const bool is_first = !gpus;
    if (is_first) gpus.emplace();
    gpus->count += *count;
    gpus->type = is_first ? type : std::string_view();
  }
  return gpus;
}

std::optional<double> sacct_seconds(std::string_view text) {
  if (text.empty() || !is_sacct_digit(text.front()) || !is_sacct_digit(text.back()))
    return std::nullopt;
  return holds(text, ':') ? parse_duration(text) : std::nullopt;
}

void split_sacct(std::string_view line, std::string_view delimiter,
                 std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(delimiter, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + delimiter.size();
    if (end == line.size()) break;
  }
  if (delimiter == ",") join_at_commas(fields);
  for (std::string_view& field : fields) field = trimmed(field);
}

std::optional<SacctLayout> sacct_header(std::string_view line) {
  line = trimmed(line);
  const auto name_end = std::ranges::find_if_not(line, is_letter);
  const auto next = std::find_if(name_end, line.end(), is_letter);
  if (name_end == line.begin() || next == line.end()) return std::nullopt;
  SacctLayout layout;
  layout.delimiter = std::string(name_end, next);
  layout.has_header = true;
  // Blanks are the delimiter of the table for people, whose cells are cut.
  if (holds(layout.delimiter, ' ') || layout.delimiter.size() > 16) return std::nullopt;
  std::vector<std::string_view> names;
  split_sacct(line, layout.delimiter, names);
  name_columns(layout, names);
  const auto known = std::ranges::count_if(names, [](std::string_view name) {
    const std::string lower = lower_case(name);
    return std::ranges::find(kSacctNames, lower, &FieldName::name) != std::end(kSacctNames) ||
           is_one_of(lower, kOtherNames);
  });
  // The spelling is Slurm's own: a table of jobs with "jobid" is another one.
  const bool is_spelled = place_of(names, "JobID") != kNowhere ||
                          place_of(names, "JobIDRaw") != kNowhere ||
                          place_of(names, "JobIdRaw") != kNowhere;
  return is_spelled && known >= 2 ? std::optional(layout) : std::nullopt;
}

std::optional<SacctLayout> sacct_layout_of_cells(std::span<const std::string> lines,
                                                 std::span<const std::string> names) {
  if (lines.empty() || !is_sacct_digit(lines.front().empty() ? ' ' : lines.front().front())) {
    return std::nullopt;
  }
  SacctLayout best;
  std::size_t found = 0;
  for (const std::string& delimiter : delimiters_of(lines.front())) {
    const CellColumns cells(rows_of(lines, delimiter));
    SacctLayout layout;
    if (names.empty()) {
      layout = sacct_layout(cells);
    } else if (cells.width() >= names.size() && cells.rows() > 0) {
      const std::vector<std::string_view> views(names.begin(), names.end());
      name_columns(layout, views);
      layout.fields = cells.width();
    }
    layout.delimiter = delimiter;
    auto score = static_cast<std::size_t>(
        std::ranges::count_if(layout.place, [](std::size_t place) { return place != kNowhere; }));
    // sacct --parsable ends its rows with a delimiter.
    const bool is_named = layout.fields == names.size() || layout.fields == names.size() + 1;
    if (!names.empty() && is_named) score += layout.place.size();
    if (layout.fields < 3 || score <= found) continue;
    found = score;
    best = layout;
  }
  const bool tells = best.has(kTres) || best.has(kElapsed) || best.has(kElapsedRaw);
  return tells && (best.has(kId) || best.has(kRawId)) ? std::optional(best) : std::nullopt;
}

}  // namespace scalelaw
