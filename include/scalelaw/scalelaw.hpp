#pragma once

/// The whole library: read run tables, fit scaling laws, write the results.

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/footprint.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/energy/energy_scaling.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/fit/law.hpp"
#include "scalelaw/fit/read_fits.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/replay/study.hpp"
#include "scalelaw/runs/cell.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "scalelaw/store/study_store.hpp"
#include "scalelaw/trace/ingest.hpp"
#include "scalelaw/version.hpp"
