#pragma once

#include <memory>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/table.hpp"
#include "scalelaw/tail/tail.hpp"

namespace scalelaw {

/// What the tails of one study have in common: the head of its report.
struct TailReport {
  StudyReport study;  ///< `y` is the column of the values; there is no x.
  TailOptions options;
};

/// A writer of tails in any format. JSON is the schema scalelaw.tail/1 of docs/reference/tail.md;
/// CSV and TSV have one row per group; tables for people show the power laws, and below them what
/// they mean.
std::unique_ptr<GroupWriter<Tail>> make_tail_writer(const TailReport& report,
                                                    const TableStyle& style, TextSink sink);

/// Whether the tail is a power law, in plain words.
std::string tail_sentence(const Tail& tail);

/// The name of an alternative as sentences have it: "log-normal", "truncated power law".
std::string_view words_of(TailModel model);

}  // namespace scalelaw
