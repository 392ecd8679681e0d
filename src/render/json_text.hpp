#pragma once

#include "documents/json_text.hpp"  // It moved; this header goes when nobody includes it.
