#pragma once

#include "input/container.hpp"

namespace scalelaw {

/// A Parquet file, read by DuckDB's library where there is one: its table as CSV text.
extern const Container kParquet;

}  // namespace scalelaw
