#include "trace/unit_bytes.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <tuple>
#include <type_traits>

namespace scalelaw {
namespace {

constexpr std::uint64_t kVersion = 2;
/// Behind the figures stand the steps of each record, the runs that were left out, and what
/// identifies both, as far as there are any: stores without them stay as they were.
constexpr std::uint64_t kWithSteps = 1;
constexpr std::uint64_t kWithLeftOut = 2;
constexpr std::uint64_t kWithIdentities = 4;
/// So many doubles hold every digit of a long double as a sum, on any machine.
constexpr int kPartsOfLongDouble = 3;
static_assert(LDBL_MANT_DIG <= kPartsOfLongDouble * DBL_MANT_DIG);

}  // namespace

/// The parts of a record in the order of their bytes. A record may be const.
template <class Record>
static auto parts_of(Record& of) {
  using Kind = std::remove_const_t<Record>;
  if constexpr (std::is_same_v<Kind, DeviceFigures>) {
    return std::tie(of.samples, of.dropped, of.trimmed, of.first_ns, of.last_ns, of.sm_util,
                    of.mem_util, of.mem_used, of.power, of.energy_j, of.gap_s,
                    of.longest_interval_s, of.period_s);
  } else if constexpr (std::is_same_v<Kind, DeviceRow>) {
    return std::tie(of.job, of.node, of.gpu, of.file, of.figures);
  } else if constexpr (std::is_same_v<Kind, Moments::State>) {
    return std::tie(of.count, of.origin, of.largest, of.sum, of.squares);
  } else if constexpr (std::is_same_v<Kind, JobRecord>) {
    return std::tie(of.job, of.facts, of.file);
  } else if constexpr (std::is_same_v<Kind, StepTable>) {
    return std::tie(of.names, of.cells);
  } else if constexpr (std::is_same_v<Kind, OddityCount>) {
    return std::tie(of.count, of.first);
  } else if constexpr (std::is_same_v<Kind, LeftOut>) {
    return std::tie(of.run.why, of.run.identity.id, of.run.identity.submitted, of.place);
  } else if constexpr (std::is_same_v<Kind, RunIdentity>) {
    return std::tie(of.system, of.id, of.cluster, of.submitted, of.started, of.duration_s, of.gpus);
  } else if constexpr (std::is_same_v<Kind, ReadFile>) {
    return std::tie(of.path, of.state.bytes, of.state.mtime_ns, of.state.inode, of.hash);
  } else if constexpr (std::is_same_v<Kind, BusyWindow>) {
    return std::tie(of.first_ns, of.last_ns);
  } else if constexpr (std::is_same_v<Kind, TraceFile>) {
    return std::tie(of.path, of.format);
  } else if constexpr (std::is_same_v<Kind, Unit>) {
    return std::tie(of.job, of.node, of.bytes, of.files);
  } else {
    static_assert(std::is_same_v<Kind, UnitFigures>);
    return std::tie(of.devices, of.records, of.oddities, of.errors, of.files);
  }
}

static void put(ByteWriter& out, long double value) {
  for (int i = 0; i < kPartsOfLongDouble; ++i) {
    const auto part = static_cast<double>(value);
    out.real(part);
    value = std::isfinite(part) ? value - part : 0;
  }
}

static void take(ByteReader& in, long double& value) {
  std::array<double, kPartsOfLongDouble> parts{};
  for (double& part : parts) part = in.real();
  value = 0;
  // The smallest part comes first, so that no digit is rounded away.
  for (std::size_t i = parts.size(); i-- > 0;) value += parts[i];
}

static void put(ByteWriter& out, TraceOddity oddity) {
  out.number(static_cast<std::uint64_t>(oddity));
}

static void take(ByteReader& in, TraceOddity& oddity) {
  const std::uint64_t kind = in.number();
  if (kind > static_cast<std::uint64_t>(kLastOddity)) in.refuse();
  oddity = static_cast<TraceOddity>(kind);
}

static void put(ByteWriter& out, const Moments& moments) { put(out, moments.state()); }

static void take(ByteReader& in, Moments& moments) {
  Moments::State state;
  take(in, state);
  moments = Moments(state);
}

void put(ByteWriter& out, const TraceFormat* format) {
  const auto all = trace_formats();
  put(out, format == nullptr ? all.size() : static_cast<std::size_t>(format - all.data()));
}

void take(ByteReader& in, const TraceFormat*& format) {
  const std::uint64_t place = in.number();
  format = place < trace_formats().size() ? &trace_formats()[place] : nullptr;
}

static void take(ByteReader& in, TraceFile& file) {
  take(in, file.path);
  take(in, file.format);
  if (file.format == nullptr) in.refuse();
  file.origin = file.format->origin(file.path);
}

std::string bytes_of(const UnitFigures& figures) {
  const bool has_steps = std::ranges::any_of(
      figures.records, [](const JobRecord& record) { return !record.steps.names.empty(); });
  ByteWriter out;
  const bool has_left_out = !figures.left_out.empty();
  const bool has_identities =
      has_left_out || std::ranges::any_of(figures.records, [](const JobRecord& record) {
        return record.identity.is_known();
      });
  out.number(kVersion + (has_steps ? kWithSteps : 0) + (has_left_out ? kWithLeftOut : 0) +
             (has_identities ? kWithIdentities : 0));
  put(out, figures);
  if (has_steps) {
    for (const JobRecord& record : figures.records) put(out, record.steps);
  }
  if (has_left_out) put(out, figures.left_out);
  if (has_identities) {
    for (const JobRecord& record : figures.records) {
      put(out, record.identity);
      out.number(record.values);
      out.number(record.lost_losses);
    }
    for (const LeftOut& one : figures.left_out) put(out, one.run.identity);
  }
  return out.finish();
}

/// Takes the steps of a record. @throws as ByteReader::refuse if a row is not whole.
static void take_steps(ByteReader& in, StepTable& steps) {
  take(in, steps);
  const std::size_t width = steps.names.size();
  if (width == 0 ? !steps.cells.empty() : steps.cells.size() % width != 0) in.refuse();
}

UnitFigures unit_figures_of(std::string_view bytes) {
  ByteReader in(bytes, "figures of a unit");
  const std::uint64_t version = in.number();
  if (version < kVersion || version > kVersion + kWithSteps + kWithLeftOut + kWithIdentities)
    in.refuse();
  const std::uint64_t parts = version - kVersion;
  UnitFigures figures;
  take(in, figures);
  if ((parts & kWithSteps) != 0) {
    for (JobRecord& record : figures.records) take_steps(in, record.steps);
  }
  if ((parts & kWithLeftOut) != 0) take(in, figures.left_out);
  if ((parts & kWithIdentities) != 0) {
    for (JobRecord& record : figures.records) {
      take(in, record.identity);
      record.values = in.number();
      record.lost_losses = in.number();
    }
    for (LeftOut& one : figures.left_out) take(in, one.run.identity);
  }
  const bool backwards = std::ranges::any_of(figures.devices, [](const DeviceRow& device) {
    return device.figures.last_ns < device.figures.first_ns;
  });
  if (backwards || !in.at_end()) in.refuse();
  return figures;
}

std::string bytes_of(const std::vector<Unit>& units) { return written(units); }

std::vector<Unit> units_of(std::string_view bytes) { return read_from<std::vector<Unit>>(bytes); }

std::string bytes_of(const BusyWindows& windows) { return written(windows); }

BusyWindows busy_windows_of(std::string_view bytes) { return read_from<BusyWindows>(bytes); }

}  // namespace scalelaw
