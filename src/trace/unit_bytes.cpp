#include "trace/unit_bytes.hpp"

#include <array>
#include <cfloat>
#include <cmath>

#include "base/bytes.hpp"

namespace scalelaw {
namespace {

constexpr std::uint64_t kVersion = 1;
/// So many doubles hold every digit of a long double as a sum, on any machine.
constexpr int kPartsOfLongDouble = 3;
static_assert(LDBL_MANT_DIG <= kPartsOfLongDouble * DBL_MANT_DIG);

/// Also writes the parts that figures consist of.
class Writer : public ByteWriter {
 public:
  void long_real(long double value) {
    for (int i = 0; i < kPartsOfLongDouble; ++i) {
      const auto part = static_cast<double>(value);
      real(part);
      value = std::isfinite(part) ? value - part : 0;
    }
  }
  void maybe_real(std::optional<double> value) {
    number(value ? 1 : 0);
    if (value) real(*value);
  }
  template <class Items, class Write>
  void list(const Items& items, const Write& write) {
    number(items.size());
    for (const auto& item : items) write(item);
  }
};

class Reader : public ByteReader {
 public:
  explicit Reader(std::string_view bytes) : ByteReader(bytes, "figures of a unit") {}

  long double long_real() {
    long double value = 0;
    std::array<double, kPartsOfLongDouble> parts{};
    for (double& part : parts) part = real();
    // The smallest part comes first, so that no digit is rounded away.
    for (std::size_t i = parts.size(); i-- > 0;) value += parts[i];
    return value;
  }
  std::optional<double> maybe_real() {
    if (number() == 0) return std::nullopt;
    return real();
  }
  std::string text() { return std::string(ByteReader::text()); }
  template <class Read>
  void list(const Read& read) {
    const std::uint64_t count = number();
    // Every item has at least eight bytes, so a damaged count cannot ask for too much memory.
    if (count > left() / 8) refuse();
    for (std::uint64_t i = 0; i < count; ++i) read();
  }
  void finish() const {
    if (!at_end()) refuse();
  }
};

void write_moments(Writer& out, const Moments& moments) {
  const Moments::State state = moments.state();
  out.number(state.count);
  out.real(state.origin);
  out.real(state.largest);
  out.long_real(state.sum);
  out.long_real(state.squares);
}

Moments read_moments(Reader& in) {
  Moments::State state;
  state.count = in.number();
  state.origin = in.real();
  state.largest = in.real();
  state.sum = in.long_real();
  state.squares = in.long_real();
  return Moments(state);
}

void write_device(Writer& out, const DeviceRow& device) {
  out.text(device.job);
  out.text(device.node);
  out.text(device.gpu);
  out.text(device.file);
  const DeviceFigures& figures = device.figures;
  out.number(figures.samples);
  out.number(figures.dropped);
  out.number(figures.trimmed);
  out.time(figures.first_ns);
  out.time(figures.last_ns);
  for (const Moments* moments :
       {&figures.sm_util, &figures.mem_util, &figures.mem_used, &figures.power}) {
    write_moments(out, *moments);
  }
  out.maybe_real(figures.energy_j);
  out.real(figures.gap_s);
  out.real(figures.longest_interval_s);
  out.maybe_real(figures.period_s);
}

DeviceRow read_device(Reader& in) {
  DeviceRow device;
  device.job = in.text();
  device.node = in.text();
  device.gpu = in.text();
  device.file = in.text();
  DeviceFigures& figures = device.figures;
  figures.samples = in.number();
  figures.dropped = in.number();
  figures.trimmed = in.number();
  figures.first_ns = in.time();
  figures.last_ns = in.time();
  if (figures.last_ns < figures.first_ns) in.refuse();
  for (Moments* moments :
       {&figures.sm_util, &figures.mem_util, &figures.mem_used, &figures.power}) {
    *moments = read_moments(in);
  }
  figures.energy_j = in.maybe_real();
  figures.gap_s = in.real();
  figures.longest_interval_s = in.real();
  figures.period_s = in.maybe_real();
  return device;
}

void write_record(Writer& out, const JobRecord& record) {
  out.text(record.job);
  out.list(record.facts, [&](const auto& fact) {
    out.text(fact.first);
    out.text(fact.second);
  });
}

JobRecord read_record(Reader& in) {
  JobRecord record;
  record.job = in.text();
  in.list([&] {
    std::string name = in.text();
    record.facts.emplace_back(std::move(name), in.text());
  });
  return record;
}

}  // namespace

std::string bytes_of(const UnitFigures& figures) {
  Writer out;
  out.number(kVersion);
  out.list(figures.devices, [&](const DeviceRow& device) { write_device(out, device); });
  out.list(figures.records, [&](const JobRecord& record) { write_record(out, record); });
  out.list(figures.oddities, [&](const auto& oddity) {
    out.number(static_cast<std::uint64_t>(oddity.first));
    out.number(oddity.second.count);
    out.text(oddity.second.first);
  });
  out.list(figures.errors, [&](const std::string& error) { out.text(error); });
  out.list(figures.files, [&](const ReadFile& file) {
    out.text(file.path);
    out.number(file.state.bytes);
    out.time(file.state.mtime_ns);
    out.number(file.state.inode);
    out.text(file.hash);
  });
  return out.finish();
}

UnitFigures unit_figures_of(std::string_view bytes) {
  Reader in(bytes);
  if (in.number() != kVersion) in.refuse();
  UnitFigures figures;
  in.list([&] { figures.devices.push_back(read_device(in)); });
  in.list([&] { figures.records.push_back(read_record(in)); });
  in.list([&] {
    const std::uint64_t kind = in.number();
    if (kind > static_cast<std::uint64_t>(TraceOddity::kCutLine)) in.refuse();
    OddityCount& count = figures.oddities[static_cast<TraceOddity>(kind)];
    count.count = in.number();
    count.first = in.text();
  });
  in.list([&] { figures.errors.push_back(in.text()); });
  in.list([&] {
    ReadFile file;
    file.path = in.text();
    file.state.bytes = in.number();
    file.state.mtime_ns = in.time();
    file.state.inode = in.number();
    file.hash = in.text();
    figures.files.push_back(std::move(file));
  });
  in.finish();
  return figures;
}

}  // namespace scalelaw
