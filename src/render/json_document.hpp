#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>

#include "documents/json_parts.hpp"
#include "render/buffered_text.hpp"

namespace scalelaw {

/// Writes a value as its type says: an enumerator by its name, an optional without a value as null,
/// a range as a list.
template <class T>
void write_value(JsonText& json, const T& value) {
  if constexpr (requires { value.has_value(); }) {
    value ? write_value(json, *value) : json.null();
  } else if constexpr (std::is_same_v<T, bool>) {
    json.boolean(value);
  } else if constexpr (std::is_integral_v<T>) {
    json.count(std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>{value});
  } else if constexpr (std::is_floating_point_v<T>) {
    json.number(value);
  } else if constexpr (std::is_enum_v<T>) {
    json.text(name_of(value));
  } else if constexpr (std::is_same_v<T, Interval>) {
    write_interval(json, value);
  } else if constexpr (!std::is_convertible_v<T, std::string_view>) {
    write_each(json, value, [](JsonText& list, const auto& item) { write_value(list, item); });
  } else {
    json.text(value);
  }
}

/// A text; null where it is empty.
inline std::optional<std::string_view> or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// A member of an object by its name. The value must outlive the statement that writes it.
class NamedMember {
 public:
  template <class T>
  NamedMember(std::string_view name, const T& value)
      : name_(name), value_(&value), write_([](JsonText& json, const void* of) {
          write_value(json, *static_cast<const T*>(of));
        }) {}

  void write(JsonText& json) const { write_(json.key(name_), value_); }
  /// On a line of its own.
  void write_in_head(JsonText& head) const { write_(head.member(name_), value_); }

 private:
  std::string_view name_;
  const void* value_;
  void (*write_)(JsonText& json, const void* value);
};

/// Members of an object: `json << Members{{"n", fit.n}, {"sigma", fit.sigma}}`.
struct Members {
  Members(std::initializer_list<NamedMember> members) : all(members) {}
  std::initializer_list<NamedMember> all;
};
inline void operator<<(JsonText& json, const Members& members) {
  for (const NamedMember& member : members.all) member.write(json);
}

/// The same of the head of a document, each on a line of its own.
struct HeadMembers : Members {
  using Members::Members;
};
inline void operator<<(JsonText& head, const HeadMembers& members) {
  for (const NamedMember& member : members.all) member.write_in_head(head);
}

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
