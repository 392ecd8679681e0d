#pragma once

#include "scalelaw/documents/read_fits.hpp"  // It moved; this header goes when nobody includes it.
