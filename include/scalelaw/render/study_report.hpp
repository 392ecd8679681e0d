#pragma once

#include "scalelaw/documents/study_report.hpp"  // It moved; this header goes when nobody includes it.
