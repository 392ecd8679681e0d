#include "trace/unit_bytes.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/bytes.hpp"

namespace scalelaw {
namespace {

constexpr std::uint64_t kVersion = 1;
/// So many doubles hold every digit of a long double as a sum, on any machine.
constexpr int kPartsOfLongDouble = 3;
static_assert(LDBL_MANT_DIG <= kPartsOfLongDouble * DBL_MANT_DIG);

/// The parts of a record in the order of their bytes. A record may be const.
template <class Record>
auto parts_of(Record& of) {
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
    return std::tie(of.job, of.facts);
  } else if constexpr (std::is_same_v<Kind, OddityCount>) {
    return std::tie(of.count, of.first);
  } else if constexpr (std::is_same_v<Kind, ReadFile>) {
    return std::tie(of.path, of.state.bytes, of.state.mtime_ns, of.state.inode, of.hash);
  } else if constexpr (std::is_same_v<Kind, BusyWindow>) {
    return std::tie(of.first_ns, of.last_ns);
  } else if constexpr (std::is_same_v<Kind, Unit>) {
    return std::tie(of.job, of.node, of.bytes, of.files);
  } else if constexpr (std::is_same_v<Kind, UnitFigures>) {
    return std::tie(of.devices, of.records, of.oddities, of.errors, of.files);
  } else {
    return std::tie(of.first, of.second);
  }
}

class Writer : public ByteWriter {
 public:
  void add(std::uint64_t value) { number(value); }
  void add(std::int64_t value) { time(value); }
  void add(double value) { real(value); }
  void add(long double value) {
    for (int i = 0; i < kPartsOfLongDouble; ++i) {
      const auto part = static_cast<double>(value);
      real(part);
      value = std::isfinite(part) ? value - part : 0;
    }
  }
  void add(std::optional<double> value) {
    number(value ? 1 : 0);
    if (value) real(*value);
  }
  void add(const std::string& value) { text(value); }
  void add(TraceOddity oddity) { number(static_cast<std::uint64_t>(oddity)); }
  void add(const Moments& moments) { add(moments.state()); }
  void add(const TraceFile& file) {
    text(file.path);
    text(file.format->name);
  }
  template <class Record>
  void add(const Record& record) {
    if constexpr (requires { record.size(); }) {
      number(record.size());
      for (const auto& item : record) add(item);
    } else {
      std::apply([this](const auto&... part) { (add(part), ...); }, parts_of(record));
    }
  }
};

class Reader : public ByteReader {
 public:
  using ByteReader::ByteReader;

  void take(std::uint64_t& value) { value = number(); }
  void take(std::int64_t& value) { value = time(); }
  void take(double& value) { value = real(); }
  void take(long double& value) {
    std::array<double, kPartsOfLongDouble> parts{};
    for (double& part : parts) part = real();
    value = 0;
    // The smallest part comes first, so that no digit is rounded away.
    for (std::size_t i = parts.size(); i-- > 0;) value += parts[i];
  }
  void take(std::optional<double>& value) {
    value.reset();
    if (number() != 0) value = real();
  }
  void take(std::string& value) { value = text(); }
  void take(TraceOddity& oddity) {
    const std::uint64_t kind = number();
    if (kind > static_cast<std::uint64_t>(TraceOddity::kCutLine)) refuse();
    oddity = static_cast<TraceOddity>(kind);
  }
  void take(Moments& moments) {
    Moments::State state;
    take(state);
    moments = Moments(state);
  }
  void take(TraceFile& file) {
    take(file.path);
    file.format = find_trace_format(text());
    if (file.format == nullptr) refuse();
    file.origin = file.format->origin(file.path);
  }
  template <class Record>
  void take(Record& record) {
    std::apply([this](auto&... part) { (take(part), ...); }, parts_of(record));
  }
  template <class Item>
  void take(std::vector<Item>& items) {
    for (std::uint64_t more = count(); more > 0; --more) take(items.emplace_back());
  }
  template <class Key, class Item, class Less>
  void take(std::map<Key, Item, Less>& items) {
    for (std::uint64_t more = count(); more > 0; --more) {
      std::pair<Key, Item> item;
      take(item);
      items.insert_or_assign(std::move(item.first), std::move(item.second));
    }
  }

 private:
  std::uint64_t count() {
    const std::uint64_t items = number();
    // Every item has at least eight bytes, so a damaged count cannot ask for too much memory.
    if (items > left() / 8) refuse();
    return items;
  }
};

template <class Record>
std::string written(const Record& record) {
  Writer out;
  out.add(record);
  return out.finish();
}

template <class Record>
Record read_from(std::string_view bytes) {
  Reader in(bytes);
  Record record;
  in.take(record);
  return record;
}

}  // namespace

std::string bytes_of(const UnitFigures& figures) {
  Writer out;
  out.number(kVersion);
  out.add(figures);
  return out.finish();
}

UnitFigures unit_figures_of(std::string_view bytes) {
  Reader in(bytes, "figures of a unit");
  if (in.number() != kVersion) in.refuse();
  UnitFigures figures;
  in.take(figures);
  const bool backwards = std::any_of(
      figures.devices.begin(), figures.devices.end(),
      [](const DeviceRow& device) { return device.figures.last_ns < device.figures.first_ns; });
  if (backwards || !in.at_end()) in.refuse();
  return figures;
}

std::string bytes_of(const std::vector<Unit>& units) { return written(units); }

std::vector<Unit> units_of(std::string_view bytes) { return read_from<std::vector<Unit>>(bytes); }

std::string bytes_of(const BusyWindows& windows) { return written(windows); }

BusyWindows busy_windows_of(std::string_view bytes) { return read_from<BusyWindows>(bytes); }

}  // namespace scalelaw
