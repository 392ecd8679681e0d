#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "documents/json_parts.hpp"
#include "render/buffered_text.hpp"

namespace scalelaw {

/// Writes a list of the groups whose result is a Result, one per line: write(json, key, result).
template <class Result, class Groups, class Write>
void write_group_list(BufferedText& out, const Groups& groups, Write write) {
  bool any = false;
  out.text() += '[';
  for (const auto& group : groups) {
    const Result* const result = std::get_if<Result>(&group.result);
    if (result == nullptr) continue;
    out.text() += any ? ",\n  " : "\n  ";
    any = true;
    JsonText json(out.text());
    write(json, group.group, *result);
    out.pass_on_if_full();
  }
  out.text() += any ? "\n ]" : "]";
}

/// Writes the end of a document: the groups with a result as the list `name`, the others as
/// `failed`.
template <class Result, class Groups, class Write>
void write_groups(BufferedText& out, std::string_view name, const std::vector<std::string>& by,
                  const Groups& groups, Write write) {
  out.text().append(",\n \"").append(name).append("\": ");
  write_group_list<Result>(out, groups, write);
  out.text() += ",\n \"failed\": ";
  write_group_list<NoFit>(out, groups,
                          [&by](JsonText& json, const GroupKey& group, const NoFit& failure) {
                            write_failure(json, by, group, failure);
                          });
  out.text() += "}\n";
  out.pass_on();
}

/// Writes all groups in their order, one object per line.
template <class Result, class Groups, class Write>
void write_group_lines(const std::vector<std::string>& by, const Groups& groups,
                       const TextSink& sink, Write write) {
  BufferedText out(sink);
  for (const auto& group : groups) {
    JsonText json(out.text());
    if (const Result* const result = std::get_if<Result>(&group.result)) {
      write(json, group.group, *result);
    } else {
      write_failure(json, by, group.group, std::get<NoFit>(group.result));
    }
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

}  // namespace scalelaw
