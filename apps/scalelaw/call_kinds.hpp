#pragma once

#include "scalelaw/base/option_rules.hpp"

// Kinds of calls that rules of several commands are about.

namespace scalelaw::cli {

/// A call with a law of several x: the one that --law names, that of the saved fits that it reads,
/// or of `plot surface`.
CallKind several_x();
/// What is said of options that are only for them.
inline constexpr const char* kTakesOne = "{0} works only with laws of several x, and {2} takes one";

/// One that reads saved fits.
CallKind saved_fits();

/// One whose law of --law is fitted to y itself, and not to ln y.
CallKind fitted_to_y();

}  // namespace scalelaw::cli
