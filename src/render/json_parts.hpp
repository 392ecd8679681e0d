#pragma once

#include "documents/json_parts.hpp"  // It moved; this header goes when nobody includes it.
