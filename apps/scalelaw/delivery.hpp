#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "command.hpp"
#include "scalelaw/base/group_results.hpp"
#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw::cli {

/// Where a result goes, and in which format.
struct ResultOptions {
  std::optional<Format> format = {};  ///< As the user gave it.
  /// Those that the command has; none if endings do not tell how it writes its result.
  std::vector<Format> formats = {Format::kTable, Format::kJson,     Format::kJsonl, Format::kCsv,
                                 Format::kTsv,   Format::kMarkdown, Format::kLatex, Format::kHtml};
  std::string output = {};
  std::vector<std::string> columns = {};  ///< Empty: those that suit the format.
  bool details = false;                   ///< Tables for people have what suits experts as well.
  bool strict = false;                    ///< What the result lacks makes the exit status 1.
};

/// Adds --format, -o, --columns and, where there are tables, --details. `options` must outlive the
/// parsing.
/// @param strict  What --strict does; empty: there is no such option.
void add_result_options(
    Options& command, ResultOptions& options, const std::string& strict = "",
    const std::string& columns = "Columns to show in the table or CSV, in this order");

/// The format that the ending of a file name asks for; empty if it is none of these.
std::optional<Format> format_of_file(std::string_view path, const std::vector<Format>& formats);

/// The format asked for, else that of the output file's ending. A table without one, or for ".txt".
/// @throws DataError listing the endings if it is another one, or that of a kind of file that no
///         format writes, such as a workbook.
Format format_of(const ResultOptions& options);

/// A result on its way out.
struct Delivery {
  TableStyle style;
  TextSink sink;
  Messages console;
  /// Makes the file appear whole. `deliver` does it after the result is made; `make` does it itself
  /// where something else follows that needs the result to be safe.
  std::function<void()> commit;
};

/// What a result lacks, in sentences such as "2 of 16 groups have no fit".
struct Lacks : std::vector<std::string> {
  bool all = false;  ///< No group has what was asked for.
};

/// Takes a command from its options to its exit status, in the order that holds for all commands.
/// First the output is opened, because a missing folder must not cost minutes. Then `make` reads,
/// computes and writes. Then the file appears whole, and last the console says what the result
/// lacks.
/// @return kCheckFailed if the result lacks all, or --strict was given and it lacks something; else
/// kDone.
/// @throws what `make` throws; DataError if the output cannot be written.
int deliver(const ResultOptions& options, const GlobalOptions& global,
            const std::function<Lacks(const Delivery&)>& make);

/// Writes a line of CSV or TSV.
void write_row(const std::vector<std::string>& cells, char separator, const TextSink& sink);

/// "2 of 16 groups have no fit", or nothing if no group lacks one.
/// @param noun  What the groups lack, such as "fit".
Lacks groups_without(std::string_view noun, std::size_t lacking, std::size_t groups);

/// The same for groups of results; those that `has` refuses lack one as well.
template <class T>
Lacks groups_without(
    std::string_view noun, const std::vector<Grouped<T>>& groups,
    const std::type_identity_t<std::function<bool(const T&)>>& has = [](const T&) {
      return true;
    }) {
  std::size_t lacking = 0;
  for (const Grouped<T>& group : groups) {
    const T* const result = std::get_if<T>(&group.result);
    lacking += result == nullptr || !has(*result) ? 1 : 0;
  }
  return groups_without(noun, lacking, groups.size());
}

/// Writes each group that `make` hands to the function it is given. The same for those without a
/// result.
template <class T, class Make>
Lacks write_each(std::string_view noun, GroupWriter<T>& writer, Make make) {
  std::size_t count = 0;
  std::size_t lacking = 0;
  make([&](const Grouped<T>& group) {
    ++count;
    lacking += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    writer.write(group);
  });
  writer.finish();
  return groups_without(noun, lacking, count);
}

/// The same for groups that are there already.
template <class T>
Lacks write_groups(std::string_view noun, const GroupResults<T>& groups, GroupWriter<T>& writer) {
  return write_each(noun, writer, [&](const auto& write) { groups.for_each(write); });
}

}  // namespace scalelaw::cli
