#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.hpp"

namespace scalelaw {

/// Hashes of what does not follow from anything else in a store: documents of fits, and what tables
/// of jobs said. They find damage; whoever forges can write another hash, too.

/// Of a row of facts, for facts_hashes.
std::string hash_of_facts(std::string_view job, std::string_view cells);

// Each within the transaction that changed what is hashed.
void note_hash_of_fits(const Database& store, std::int64_t id);
void note_hash_of_fact_names(const Database& store);
/// Those of a store that had none.
void note_all_hashes(const Database& store);

/// A sentence on each thing whose hash is another one, or that has none, or is gone.
std::vector<std::string> hashes_that_differ(const Database& store);

}  // namespace scalelaw
