#pragma once

#include "scalelaw/render/kept_sheet.hpp"
#include "scalelaw/scalelaw.h"

namespace scalelaw::capi {

/// Makes a stream of one batch with a copy of a sheet. It needs nothing of the sheet afterwards.
void export_sheet(const KeptSheet& sheet, ArrowArrayStream& out);

}  // namespace scalelaw::capi
