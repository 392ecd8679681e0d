#pragma once

#include <string_view>

#include "render/buffered_text.hpp"
#include "render/json_members.hpp"

namespace scalelaw {

/// A list with an item per line: an object with the members that `write` writes, as in
/// write_object(). `if_empty` stands for a list without items.
template <class Items, class Write>
void write_list(BufferedText& out, const Items& items, Write write,
                std::string_view if_empty = "[]") {
  bool any = false;
  for (const auto& item : items) {
    out.text() += any ? ",\n  " : "[\n  ";
    any = true;
    JsonText json(out.text());
    write_object(json, item, write);
    out.pass_on_if_full();
  }
  out.text() += any ? "\n ]" : if_empty;
}

/// A JSON document on its way to a sink.
class JsonDocument {
 public:
  JsonDocument(const TextSink& sink, std::string_view schema) : out_(sink), head_(out_.text()) {
    begin_document(head_, schema);
  }

  JsonText& head() { return head_; }
  JsonText& member(std::string_view name) { return head_.member(name); }
  /// A member with the list of write_list().
  template <class Items, class Write>
  void list(std::string_view name, const Items& items, Write write,
            std::string_view if_empty = "[]") {
    head_.member(name);
    write_list(out_, items, write, if_empty);
  }
  /// Call this once, at the end.
  void finish() {
    out_.text() += "}\n";
    out_.pass_on();
  }

 private:
  BufferedText out_;
  JsonText head_;
};

/// JSON lines: an object per item with the members that `write(json, item)` writes.
template <class Items, class Write>
void write_lines(const TextSink& sink, const Items& items, Write write) {
  BufferedText out(sink);
  for (const auto& item : items) {
    JsonText json(out.text());
    write_object(json, item, write);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

}  // namespace scalelaw
