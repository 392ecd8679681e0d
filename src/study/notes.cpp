#include "scalelaw/study/notes.hpp"

#include <fmt/format.h>

#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"

namespace scalelaw {

void say_what_was_left_out(const RowCounts& rows, const std::vector<std::string>& bad_rows,
                           const Messages& say) {
  for (const std::string& sentence : rows.unfinished) say.warn(sentence);
  for (const std::string& sentence : rows.understood) say.note("note: " + sentence);
  if (rows.failed > 0) {
    say.note(rows.failures + (can_keep_failed(rows) ? "; --keep-failed uses them" : ""));
  }
  if (rows.filtered > 0) {
    say.note(fmt::format("--where left out {} of {}", rows.filtered, counted(rows.read, "row")));
  }
  if (rows.missing > 0) {
    say.warn(missing_sentence(rows) + ": left out");
  }
  if (rows.bad == 0) return;
  say.warn(part_of(rows.bad, rows.read, "row", "is", "are") +
           " malformed and left out. The first:");
  for (const std::string& message : bad_rows) say.warn("  " + message);
}

void note_growing_work(const std::string& column, const std::string& x, const Messages& say) {
  if (column.empty()) return;
  say.note(fmt::format(
      "note: weak scaling: '{0}' grows with {1}, so runs at larger {1} do more work, and their "
      "times are not times of equal work",
      column, x));
}

/// Says in which groups runs do more work at larger scales.
void note_partly_growing_work(const PartlyGrowingWork& part, const GroupedCells& runs,
                              const Messages& say) {
  say.note(fmt::format(
      "note: weak scaling in {0} ({1}): {2}, so their times are not times of equal work, and are "
      "not to be compared with those of the other groups",
      counted(part.groups.size(), "group"), joined(names_of_groups(runs.by(), part.groups), "; "),
      part.reason(runs.by(), runs.x())));
}

void warn_of_ungrouped(const std::vector<UngroupedColumn>& columns, std::vector<std::string> by,
                       const std::string& x, const Messages& say) {
  std::vector<std::string> groups;
  std::vector<std::string> others;
  for (const UngroupedColumn& column : columns) {
    if (column.makes_groups) {
      groups.push_back(column.name);
    } else {
      others.push_back(fmt::format("{} ({} values)", column.name, column.values));
    }
  }
  const std::string place = x.empty() ? "" : " at one " + x;
  if (!groups.empty()) {
    by.insert(by.end(), groups.begin(), groups.end());
    say.warn(
        fmt::format("runs of one group{} differ in {}, and are fitted together: -b {} keeps them "
                    "apart, and --where picks one value",
                    place, joined(groups), shell_word(joined(by, ","))));
  }
  if (!others.empty()) {
    say.warn(
        fmt::format("runs of one group{} {}differ in {}, and are fitted together: too many values "
                    "for groups with a law each; --where picks one value",
                    place, groups.empty() ? "" : "also ", joined(others)));
  }
}

std::string note_epochs(const std::string& column, FitOptions& fit, const Messages& say) {
  if (column.empty()) return "";
  fit.epochs_as_runs = true;
  std::string sentence = fmt::format(
      "epochs-as-runs: the column '{}' is not used, so rows of one run count as independent; "
      "with --run {} each run is one point",
      column, column);
  say.warn(sentence);
  return sentence;
}

void say_factors(const StudyOptions& options, std::span<const std::string> factors,
                 const Messages& say) {
  if (!options.factors.empty()) return;
  say.note(fmt::format("{} {} compared; {} names {}", joined(factors),
                       factors.size() == 1 ? "is the setting that is" : "are the settings that are",
                       options.usual_factors.option, factors.size() == 1 ? "another" : "others"));
}

}  // namespace scalelaw
