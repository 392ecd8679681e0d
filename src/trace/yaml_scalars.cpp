#include "trace/yaml_scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kYamlScalarsDeepest = 64;

/// The place of the colon that ends a key at the beginning of a text, or npos.
std::size_t key_end(std::string_view text) {
  if (text.empty()) return std::string_view::npos;
  std::size_t at = 0;
  if (text.front() == '"' || text.front() == '\'') {
    at = text.find(text.front(), 1);
    if (at == std::string_view::npos) return at;
    ++at;
    return at < text.size() && text[at] == ':' ? at : std::string_view::npos;
  }
  for (; at < text.size(); ++at) {
    if (text[at] == ':' && (at + 1 == text.size() || text[at + 1] == ' ')) return at;
    if (text[at] == '#' && at > 0 && text[at - 1] == ' ') break;
  }
  return std::string_view::npos;
}

/// The name of the anchor before a value ("&id001"); empty without one.
std::string_view anchor_of(std::string_view text) {
  text = trimmed(text);
  while (text.starts_with('!')) {
    text = trimmed(text.substr(std::min(text.find(' '), text.size())));
  }
  if (!text.starts_with('&')) return {};
  return text.substr(1, text.find(' ') - 1);
}

/// Without a tag ("!!int 3"), an anchor ("&id001"), and a comment behind a plain scalar.
std::string_view bare(std::string_view text) {
  text = trimmed(text);
  while (text.starts_with('!') || text.starts_with('&')) {
    const std::size_t blank = text.find(' ');
    text = blank == std::string_view::npos ? std::string_view() : trimmed(text.substr(blank));
  }
  if (text.starts_with('"') || text.starts_with('\'')) return text;
  if (text.starts_with('#')) return {};
  return trimmed(text.substr(0, text.find(" #")));
}

/// Whether a quoted text has its closing quote.
bool is_closed(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote) {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}

/// A scalar without its quotes.
std::string scalar(std::string_view text) {
  if (text == "null" || text == "~" || text == "Null" || text == "NULL") return "";
  if (!text.starts_with('"') && !text.starts_with('\'')) return std::string(text);
  std::string out;
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool has_next = i + 1 < text.size();
    if (quote == '"' && text[i] == '\\' && has_next) {
      out += unescaped(text[++i]);
    } else if (text[i] == quote) {
      if (quote == '"' || !has_next || text[i + 1] != quote) break;
      out += text[++i];
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Reads line by line, with the mappings and sequences that are open.
class Scalars {
 public:
  void take(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string_view body = line.substr(indent);
    while (body.ends_with(' ') || body.ends_with('\r')) body.remove_suffix(1);
    if (is_continued(indent, body)) return;
    if (body.empty() || body.starts_with('#') || body == "---" || body == "...") return;
    if (body.starts_with("---") || body.starts_with('%')) return;
    entry(indent, body);
  }

  std::vector<std::pair<std::string, std::string>> finish() {
    end_scalar();
    while (!open_.empty()) close();
    return std::move(scalars_);
  }

 private:
  /// Aliases of aliases could make a text of a line grow without end.
  static constexpr std::size_t kMostCopies = 10'000;

  /// What an alias stands for.
  struct Anchor {
    std::string path;
    std::optional<std::string> text;  ///< Empty for a mapping, whose scalars have paths below.
  };
  /// An open mapping or sequence.
  struct Level {
    std::size_t indent;
    std::string path;
    bool is_list;
    std::string next = {};   ///< The path of the key or entry that was begun last.
    std::size_t count = 0;   ///< Entries of a list.
    std::string texts = {};  ///< Its scalars, with commas between them.
  };

  /// Whether a line belongs to the scalar before it.
  bool is_continued(std::size_t indent, std::string_view body) {
    if (!scalar_) return false;
    const bool is_quoted = scalar_->starts_with('"') || scalar_->starts_with('\'');
    if (is_block_ ? body.empty() || indent > scalar_indent_ : is_quoted && !is_closed(*scalar_)) {
      if (!body.empty()) append(body, keeps_lines_ ? '\n' : ' ');
      return true;
    }
    const bool is_plain = !is_block_ && !is_quoted && !scalar_->empty();
    const bool is_more = is_plain && !body.empty() && indent > scalar_indent_ &&
                         key_end(body) == std::string_view::npos && !body.starts_with("- ");
    if (is_more) append(bare(body), ' ');
    return is_more;
  }

  void append(std::string_view more, char between) {
    if (!scalar_->empty()) *scalar_ += between;
    *scalar_ += more;
  }

  void entry(std::size_t indent, std::string_view body) {
    end_scalar();
    const bool is_item = body == "-" || body.starts_with("- ");
    while (!open_.empty() && is_left(open_.back(), indent, is_item)) close();
    if (is_item) return item(indent, body);
    const std::size_t colon = key_end(body);
    if (colon == std::string_view::npos) return;
    if (open_.empty() || open_.back().indent < indent || open_.back().is_list) {
      if (!begin(indent, false)) return;
    }
    Level& map = open_.back();
    const std::string key = scalar(trimmed(body.substr(0, colon)));
    map.next = map.path.empty() ? key : map.path + "." + key;
    note_anchor(body.substr(colon + 1), map.next);
    begin_scalar(indent, bare(body.substr(colon + 1)));
  }

  /// Whether a line at that indent stands behind the end of a mapping or sequence.
  static bool is_left(const Level& level, std::size_t indent, bool is_item) {
    if (level.indent != indent) return level.indent > indent;
    // "key:" and the "- " of its sequence may stand below each other.
    return level.is_list ? !is_item : is_item && level.next.empty();
  }

  void item(std::size_t indent, std::string_view body) {
    const bool is_new = open_.empty() || !open_.back().is_list || open_.back().indent < indent;
    if (is_new && !begin(indent, true)) return;
    Level& list = open_.back();
    list.next = list.path + (list.path.empty() ? "" : ".") + std::to_string(list.count++);
    const std::string_view rest = body.substr(1);
    const std::size_t blanks = std::min(rest.find_first_not_of(' '), rest.size());
    const std::string_view value = rest.substr(blanks);
    const bool is_nested = key_end(value) != std::string_view::npos || value.starts_with("- ");
    if (is_nested) return entry(indent + 1 + blanks, value);
    note_anchor(value, list.next);
    begin_scalar(indent, bare(value));
  }

  void note_anchor(std::string_view value, const std::string& path) {
    const std::string_view name = anchor_of(value);
    if (!name.empty()) anchors_[std::string(name)] = {path, {}};
    anchor_ = name;
  }

  /// The path and text of what an alias stands for; nullptr for other texts.
  const Anchor* anchor_behind(std::string_view text) const {
    if (!text.starts_with('*')) return nullptr;
    const auto found = anchors_.find(text.substr(1));
    return found == anchors_.end() ? nullptr : &found->second;
  }

  /// Copies the list or the scalars of a mapping to the place of its alias. "<<: *defaults" merges
  /// them into the mapping around it, whose own keys hold.
  void copy_nested(const std::string& from, std::string to) {
    if (to.ends_with("<<")) to.erase(to.size() - std::min<std::size_t>(to.size(), 3));
    const std::string begin = from + ".";
    const std::size_t count = scalars_.size();
    for (std::size_t i = 0; i < count && scalars_.size() < kMostCopies; ++i) {
      const bool is_list = scalars_[i].first == from;
      if (!is_list && !scalars_[i].first.starts_with(begin)) continue;
      std::string path = to;
      if (!is_list && !path.empty()) path += '.';
      if (!is_list) path += scalars_[i].first.substr(begin.size());
      std::string text = scalars_[i].second;
      copies_.emplace(path, scalars_.size());
      scalars_.emplace_back(std::move(path), std::move(text));
    }
  }

  void add(const std::string& path, std::string text) {
    const auto copy = copies_.find(path);
    if (copy == copies_.end()) {
      scalars_.emplace_back(path, std::move(text));
    } else {
      scalars_[copy->second].second = std::move(text);
    }
  }

  bool begin(std::size_t indent, bool is_list) {
    if (open_.size() == kYamlScalarsDeepest) return false;
    open_.push_back({indent, open_.empty() ? std::string() : open_.back().next, is_list});
    return true;
  }

  void close() {
    const Level& level = open_.back();
    if (level.is_list && !level.texts.empty()) {
      add(level.path, fmt::format("[{}]", level.texts));
    }
    open_.pop_back();
  }

  void begin_scalar(std::size_t indent, std::string_view text) {
    if (text.empty()) return;  // What follows is nested, or there is no value.
    is_block_ = text.front() == '|' || text.front() == '>';
    keeps_lines_ = text.front() == '|';
    scalar_ = is_block_ ? std::string() : std::string(text);
    scalar_indent_ = indent;
  }

  void end_scalar() {
    if (!scalar_ || open_.empty()) return;
    Level& level = open_.back();
    if (*scalar_ == "{}" || *scalar_ == "[]") return scalar_.reset();
    const Anchor* const anchor = is_block_ ? nullptr : anchor_behind(*scalar_);
    std::string text = anchor != nullptr ? anchor->text.value_or("") : scalar(*scalar_);
    if (!anchor_.empty()) anchors_.find(anchor_)->second.text = text;
    if (anchor != nullptr && !anchor->text) {
      copy_nested(anchor->path, level.next);
    } else if (level.is_list) {
      level.texts += (level.texts.empty() ? "" : ", ") + text;
    } else {
      add(level.next, std::move(text));
    }
    scalar_.reset();
  }

  std::vector<std::pair<std::string, std::string>> scalars_;
  std::vector<Level> open_;
  std::optional<std::string> scalar_;  ///< The one that may go on, as it was written.
  std::size_t scalar_indent_ = 0;
  bool is_block_ = false;     ///< It stands in lines of its own, behind | or >.
  bool keeps_lines_ = false;  ///< Behind |, which does not join them.
  std::string anchor_;        ///< The name that it was given; empty without one.
  std::map<std::string, Anchor, std::less<>> anchors_;
  std::map<std::string, std::size_t> copies_;  ///< Places of scalars that keys may replace.
};

}  // namespace

std::vector<std::pair<std::string, std::string>> yaml_scalars(std::string_view text) {
  Scalars scalars;
  any_line(without_mark(text), [&](std::string_view line) {
    scalars.take(line);
    return false;
  });
  return scalars.finish();
}

std::string yaml_fact(const std::vector<std::pair<std::string, std::string>>& scalars,
                      std::string_view name) {
  for (const auto& [known, text] : scalars) {
    if (known == name) return text;
  }
  return "";
}

}  // namespace scalelaw
