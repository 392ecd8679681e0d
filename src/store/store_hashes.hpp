#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.hpp"

namespace scalelaw {

/// Hashes of the parts of a store that cannot be derived from others: documents of fits, and facts
/// from tables of jobs. They find damage, but not forgery: a forger can write the hash, too.

/// The hash of a row of facts, for facts_hashes.
std::string hash_of_facts(std::string_view job, std::string_view cells);

// Call each of these within the transaction that changed the hashed text.
void note_hash_of_fits(const Database& store, std::int64_t id);
void note_hash_of_fact_names(const Database& store);
/// Adds the hashes of a store that had none.
void note_all_hashes(const Database& store);

/// A sentence for each text whose hash differs or is missing, or which is gone.
std::vector<std::string> hashes_that_differ(const Database& store);

}  // namespace scalelaw
