#include "store/store_file.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "base/content_hash.hpp"

namespace scalelaw {
namespace {

std::string hash_of(std::initializer_list<std::string_view> parts) {
  ContentHash hash;
  for (const std::string_view part : parts) {
    hash.add(fmt::format("{}:", part.size()));
    hash.add(part);
  }
  return hash.hex_digest();
}

/// The hash of the names of facts in order; empty if there are none.
std::string hash_of_fact_names(const Database& store) {
  ContentHash hash;
  bool any = false;
  Statement names(store, "SELECT place, name FROM fact_names ORDER BY place");
  for (; names.next(); any = true) {
    hash.add(fmt::format("{}:{}:", names.integer(0), names.text(1).size()));
    hash.add(names.text(1));
  }
  return any ? hash.hex_digest() : "";
}

void add_changed_fits(const Database& store, std::vector<std::string>& sentences) {
  Statement fits(
      store,
      "SELECT label, kept_at, document, ifnull(hash, '') FROM fits LEFT JOIN fits_hashes "
      "ON fits = id ORDER BY id");
  while (fits.next()) {
    if (fits.text(3) == hash_of({fits.text(0), fits.text(1), fits.text(2)})) continue;
    sentences.push_back(fmt::format("the fits '{}', kept at {}, were changed from outside",
                                    fits.text(0), fits.text(1)));
  }
  const std::int64_t gone =
      store.integer("SELECT count(*) FROM fits_hashes WHERE fits NOT IN (SELECT id FROM fits)");
  if (gone > 0) sentences.push_back(fmt::format("{} of the kept fits are gone", gone));
}

void add_changed_facts(const Database& store, std::vector<std::string>& sentences) {
  const auto add = [&](std::string_view job) {
    sentences.push_back(fmt::format(
        "the facts about job {} were changed from outside; ingest with --jobs reads them again",
        job));
  };
  Statement facts(store,
                  "SELECT facts.job, cells, ifnull(hash, '') FROM facts LEFT JOIN facts_hashes "
                  "USING(job) ORDER BY facts.job");
  while (facts.next()) {
    if (facts.text(2) != hash_of_facts(facts.text(0), facts.blob(1))) add(facts.text(0));
  }
  store.for_each_row(
      "SELECT job FROM facts_hashes WHERE job NOT IN (SELECT job FROM facts) ORDER BY job",
      [&](const Statement& row) { add(row.text(0)); });
}

}  // namespace

std::string hash_of_facts(std::string_view job, std::string_view cells) {
  return hash_of({job, cells});
}

void note_hash_of_fits(const Database& store, std::int64_t id) {
  Statement fits(store, "SELECT label, kept_at, document FROM fits WHERE id = ?");
  if (!fits.with(id).next()) store.refuse("fits are missing");
  const std::string hash = hash_of({fits.text(0), fits.text(1), fits.text(2)});
  store.run("INSERT OR REPLACE INTO fits_hashes VALUES(?, ?)", id, hash);
}

void note_hash_of_fact_names(const Database& store) {
  store.run("INSERT OR REPLACE INTO settings VALUES('fact_names_hash', ?)",
            hash_of_fact_names(store));
}

void note_all_hashes(const Database& store) {
  store.for_each_row("SELECT id FROM fits",
                     [&](const Statement& row) { note_hash_of_fits(store, row.integer(0)); });
  store.for_each_row("SELECT job, cells FROM facts", [&](const Statement& row) {
    store.run("INSERT INTO facts_hashes VALUES(?, ?)", row.text(0),
              hash_of_facts(row.text(0), row.blob(1)));
  });
  note_hash_of_fact_names(store);
}

std::vector<std::string> hashes_that_differ(const Database& store) {
  std::vector<std::string> sentences;
  add_changed_fits(store, sentences);
  if (hash_of_fact_names(store) != setting_of(store, "fact_names_hash").value_or("")) {
    sentences.emplace_back("the names of the columns of tables of jobs were changed from outside");
  }
  add_changed_facts(store, sentences);
  return sentences;
}

}  // namespace scalelaw
