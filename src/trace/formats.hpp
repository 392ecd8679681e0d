#pragma once

#include <string_view>
#include <vector>

#include "scalelaw/trace/format.hpp"

// The parts of each telemetry format, one source per format. formats.cpp lists them.
namespace scalelaw {

// MIT SuperCloud GPU series, and the other files of its tree.
extern const TraceFormat kSupercloud;
extern const TraceFormat kSupercloudOther;
// nvidia-smi --query-gpu ... --format=csv, and nvidia-smi -q -d POWER.
extern const TraceFormat kNvidiaSmi;
extern const TraceFormat kNvidiaSmiQuery;
// nvidia-smi dmon and dcgmi dmon.
extern const TraceFormat kDmon;
extern const TraceFormat kDcgm;
// MLPerf Training logs; perun's CSV export and text report; Zeus power-limit sweeps.
extern const TraceFormat kMllog;
extern const TraceFormat kPerun;
extern const TraceFormat kPerunReport;
extern const TraceFormat kZeusSweep;

}  // namespace scalelaw
