#include "scalelaw/base/name_words.hpp"

#include <algorithm>
#include <utility>

#include "base/long_forms.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

using NameWords = std::vector<std::string>;

/// Words that end in s and are no plural.
bool is_singular(std::string_view word) {
  static constexpr std::string_view kSingular[] = {
      "ms",    "us",    "ns",    "bs",    "gbs",   "mbs",    "tps",  "fps",  "ips",
      "qps",   "rps",   "iops",  "is",    "as",    "status", "bus",  "bias", "tops",
      "gops",  "mops",  "kops",  "mlups", "glups", "gups",   "mups", "teps", "gteps",
      "mteps", "mcups", "gcups", "nps",   "des",   "sps",    "wps"};
  if (word.ends_with("bps")) return true;
  return word.size() < 3 || !word.ends_with('s') || word.ends_with("ss") ||
         std::ranges::find(kSingular, word) != std::end(kSingular);
}

bool is_counted_noun(std::string_view word) {
  constexpr std::string_view kNouns[] = {"gpu",   "accelerator", "device", "tpu",  "npu",
                                         "rank",  "process",     "worker", "task", "core",
                                         "cpu",   "thread",      "node",   "host", "param",
                                         "token", "parameter",   "proc",   "pe",   "gcd"};
  return std::ranges::find(kNouns, word) != std::end(kNouns);
}

/// Whether a byte begins a character of a script that is not Latin. Vietnamese letters begin with
/// 0xE1 too.
bool begins_other_script(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xD0 && byte != 0xE1;
}

/// The words of a stretch in another script by their known beginnings, with blanks between them;
/// empty if it has none of these. Other letters are endings, or words that tell nothing.
std::string words_by_stems(std::string_view text) {
  static const SpelledWords stems = spelled_words(kStems);
  std::string words;
  for (std::size_t at = 0; at < text.size();) {
    const SpelledWords::value_type* best = nullptr;
    for (const auto& stem : stems) {
      const bool longer = best == nullptr || stem.first.size() > best->first.size();
      if (longer && text.substr(at).starts_with(stem.first)) best = &stem;
    }
    if (best != nullptr) words += (words.empty() ? "" : " ") + std::string(best->second);
    at += best != nullptr ? best->first.size() : 1;
  }
  return words;
}

/// Adds a word with its short form written out: "ngpus" becomes num, gpu.
void add_word(std::string word, NameWords& words) {
  static const SpelledWords forms = spelled_words(kLongForms);
  const auto long_form = [](std::string_view text) {
    return std::string(meaning_among(forms, text));
  };
  std::string full = long_form(word);
  if (full.empty() && begins_other_script(word.front())) full = words_by_stems(word);
  if (full.empty()) full = long_form(word = singular_word(word));
  if (full.empty()) {
    for (const std::string_view count : {"num", "n"}) {
      if (word.starts_with(count) && is_counted_noun(std::string_view(word).substr(count.size()))) {
        full = "num " + singular_word(word.substr(count.size()));
        break;
      }
    }
  }
  for (const std::string& part : split(full.empty() ? word : full, ' ')) words.push_back(part);
}

bool is_name_lower(char c) {
  return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_name_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_letter(char c) { return is_name_lower(c) || is_name_upper(c); }

/// Writes the capitals of Cyrillic (U+0410 to U+042F) as small letters.
void lower_cyrillic(std::string& text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto next = static_cast<unsigned char>(text[i + 1]);
    if (text[i] != '\xD0' || next < 0x90 || next > 0xAF) continue;
    if (next >= 0xA0) text[i] = '\xD1';
    text[i + 1] = static_cast<char>(next < 0xA0 ? next + 0x20 : next - 0x20);
  }
}

/// Whether the character that holds byte `i` is of a script that is not Latin.
bool is_of_other_script(std::string_view text, std::size_t i) {
  while (i > 0 && (static_cast<unsigned char>(text[i]) >> 6) == 2) --i;
  return begins_other_script(text[i]);
}

std::string lower_name(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = is_name_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  lower_cyrillic(out);
  return out;
}

/// The text with the accents of Latin-1 left out, "Duração" as "Duracao", and ß as ss.
std::string without_accents(std::string_view text) {
  constexpr char kPlain[] = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTs";  // By letter from U+00C0 to U+00DF.
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool letter = lead == 0xC3 && next >= 0x80 && next <= 0xBF && (next & 0x1F) != 0x17;
    if (!letter) {
      out += text[i];
      continue;
    }
    const bool lower = next >= 0xA0;
    const char plain = next == 0x9F ? 's' : kPlain[next & 0x1F];
    out +=
        lower ? static_cast<char>(plain >= 'A' && plain <= 'Z' ? plain - 'A' + 'a' : plain) : plain;
    if (next == 0x9F) out += 's';
    ++i;
  }
  return out;
}

/// Whether a new word begins at `i`, inside a stretch of letters and digits.
bool begins_word(std::string_view text, std::size_t i) {
  const char before = text[i - 1];
  const char here = text[i];
  if (is_name_digit(before) != is_name_digit(here)) return true;
  const bool other = is_of_other_script(text, i);
  if (other != is_of_other_script(text, i - 1)) return true;
  if (other) return false;
  if (is_name_lower(before) && is_name_upper(here)) return true;
  // The last capital of several belongs to the next word, "GPUCount", but not to a plural, "GPUs".
  const bool last_capital = is_name_upper(before) && is_name_upper(here) && i + 1 < text.size() &&
                            is_name_lower(text[i + 1]) && !is_of_other_script(text, i + 1);
  const bool plural =
      last_capital && text[i + 1] == 's' && (i + 2 == text.size() || !is_name_lower(text[i + 2]));
  return last_capital && !plural;
}

/// Whether a stretch is one word whatever its capitals: a unit, or a rate such as MBps.
bool is_whole(std::string_view text, std::string_view lower) {
  return canonical_unit(text) || lower.find("flop") != std::string_view::npos ||
         (lower.ends_with("bps") && lower.size() <= 5);
}

/// Calls take(word) for the words of a stretch of letters and digits, in lower case.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  std::string whole = lower_name(text);
  if (is_whole(text, whole)) return take(std::move(whole));
  std::size_t from = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i < text.size() && !begins_word(text, i)) continue;
    take(lower_name(text.substr(from, i - from)));
    from = i;
  }
}

/// Calls take(stretch) for the stretches of letters and digits, and mark(c) for what stands
/// between.
template <class Take, class Mark>
void for_each_stretch(std::string_view name, Take take, Mark mark) {
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && (is_name_letter(name[end]) || is_name_digit(name[end]))) ++end;
    if (end > i) take(name.substr(i, end - i));
    if (end == i) mark(name[i]);
    i = std::max(end, i + 1);
  }
}

/// Joins the names of programming interfaces that their capitals divide: "OpenMP", "OpenACC".
void join_interfaces(NameWords& words) {
  constexpr std::string_view kSecond[] = {"mp", "mpi", "cl", "acc"};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool second = std::ranges::find(kSecond, words[i + 1]) != std::end(kSecond);
    if (words[i] != "open" || !second) continue;
    words[i] += words[i + 1];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

}  // namespace

std::string singular_word(std::string word) {
  if (is_singular(word)) return word;
  word.pop_back();
  for (const std::string_view ending : {"sse", "che"}) {
    if (word.ends_with(ending)) word.pop_back();
  }
  if (word.ends_with("ie") && word.size() > 4) word.replace(word.size() - 2, 2, "y");
  return word;
}

std::vector<std::string> words_of_name(std::string_view header) {
  NameWords words;
  const std::string plain = without_accents(header);
  const auto take = [&words](std::string_view stretch) {
    for_each_word(stretch, [&words](std::string word) { add_word(std::move(word), words); });
  };
  for_each_stretch(plain, take, [&words](char mark) {
    if (mark == '#') words.emplace_back("num");
    if (mark == '%') words.emplace_back("percent");
    if (mark != '/' || words.empty()) return;
    // "trainer/num_devices" is a section and a name.
    const bool section = words.size() == 1 && (words[0] == "trainer" || words[0] == "perf");
    section ? words.clear() : words.push_back("per");
  });
  join_interfaces(words);
  return words;
}

std::vector<std::string> words_as_written(std::string_view header) {
  NameWords words;
  const auto take = [&words](std::string_view stretch) {
    for_each_word(stretch, [&words](std::string word) { words.push_back(std::move(word)); });
  };
  for_each_stretch(header, take, [](char /*mark*/) {});
  return words;
}

}  // namespace scalelaw
