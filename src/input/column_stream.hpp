#pragma once

#include <cstddef>
#include <vector>

#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// A table of text that is made from columns, of which some can be left out.
class ColumnStream : public ByteStream {
 public:
  /// From here on, cells of columns other than these are empty. Rows that were made already may
  /// still have them.
  virtual void keep_columns(std::vector<std::size_t> columns) = 0;
};

}  // namespace scalelaw
