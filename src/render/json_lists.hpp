#pragma once

#include <string_view>

#include "documents/json_text.hpp"
#include "render/buffered_text.hpp"

namespace scalelaw {

/// The member `name` of a document: a list with what `write(json, item)` makes of each item, an
/// item a line.
template <class Items, class Write>
void write_list(BufferedText& out, std::string_view name, const Items& items, Write write) {
  out.text().append(",\n \"").append(name).append("\": [");
  bool first = true;
  for (const auto& item : items) {
    out.text() += first ? "\n  " : ",\n  ";
    first = false;
    JsonText json(out.text());
    write(json, item);
    out.pass_on_if_full();
  }
  out.text() += first ? "]" : "\n ]";
}

/// JSON lines: what `write(json, item)` makes of each item.
template <class Items, class Write>
void write_lines(const TextSink& sink, const Items& items, Write write) {
  BufferedText out(sink);
  for (const auto& item : items) {
    JsonText json(out.text());
    write(json, item);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

}  // namespace scalelaw
