#pragma once

#include <string>
#include <vector>

#include "trace/unit_reader.hpp"

namespace scalelaw {

/// Makes one of several rows of one GPU of a named node of a job, which come from files that were
/// not read together: copies count once, parts of the time or of the quantities are joined.
/// Rows whose samples overlap cannot be joined and stay.
/// @param devices  Sorted by job, node and GPU.
/// @returns A sentence on the rows that stay; empty if there are none.
std::string join_same_devices(std::vector<DeviceRow>& devices);

}  // namespace scalelaw
