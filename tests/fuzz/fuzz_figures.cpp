// Bytes as the figures of a unit in a store. They give figures or an Error. Figures give the same
// bytes again, and a run table can be made from them.

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/reading.hpp"
#include "scalelaw/base/error.hpp"
#include "trace/job_table.hpp"
#include "trace/unit_bytes.hpp"

namespace scalelaw::fuzz {
namespace {

void check(std::string_view bytes) {
  try {
    UnitFigures figures = unit_figures_of(bytes);
    const std::string once = bytes_of(figures);  // A NaN has many forms, of which one is kept.
    expect_same(once, bytes_of(unit_figures_of(once)), "written once and twice");
    mark_deviants(figures.devices);
    for (const IngestRows rows : {IngestRows::kJob, IngestRows::kNode, IngestRows::kGpu}) {
      static_cast<void>(run_table(figures.devices, figures.records, {}, rows, false));
    }
    static_cast<void>(quality_warnings(figures.devices));
  } catch (const Error&) {
    return;
  }
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
