#include "scalelaw/base/name_words.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

using NameWords = std::vector<std::string>;

/// Words that people write as one, for short, or in another language, and what they stand for.
constexpr std::pair<std::string_view, std::string_view> kLongForms[] = {
    {"accel", "accelerator"},
    {"avg", "mean"},
    {"average", "mean"},
    {"batchsize", "batch size"},
    {"bs", "batch size"},
    {"bsz", "batch size"},
    {"gbs", "global batch size"},
    {"mbs", "micro batch size"},
    {"cputime", "cpu time"},
    {"epochtime", "epoch time"},
    {"exectime", "time"},
    {"freq", "frequency"},
    {"gpuh", "gpu hour"},
    {"hr", "hour"},
    {"imgs", "image"},
    {"iter", "step"},
    {"iteration", "step"},
    {"it", "step"},
    {"itertime", "step time"},
    {"jobid", "job id"},
    {"len", "length"},
    {"maximum", "max"},
    {"mib", "mb"},
    {"gib", "gb"},
    {"minimum", "min"},
    {"mins", "minute"},
    {"no", "num"},
    {"np", "num process"},
    {"nproc", "num process"},
    {"nprocs", "num process"},
    {"nr", "num"},
    {"nbr", "num"},
    {"number", "num"},
    {"n", "num"},
    {"parameter", "param"},
    {"pe", "process"},
    {"powercap", "power cap"},
    {"powerlimit", "power limit"},
    {"proc", "process"},
    {"rep", "repeat"},
    {"repetition", "repeat"},
    {"replicate", "repeat"},
    {"runid", "run id"},
    {"runtime", "run time"},
    {"sec", "second"},
    {"secs", "second"},
    {"seq", "sequence"},
    {"seqlen", "sequence length"},
    {"steptime", "step time"},
    {"thr", "throughput"},
    {"thruput", "throughput"},
    {"timelimit", "time limit"},
    {"tok", "token"},
    {"traintime", "train time"},
    {"training", "train"},
    {"val", "validation"},
    {"valid", "validation"},
    {"wallclock", "wall"},
    {"walltime", "wall time"},
    {"wtime", "wall time"},
    {"worldsize", "world size"},
    {"hilo", "thread"},
    {"knoten", "node"},
    {"laufzeit", "run time"},
    {"nodo", "node"},
    {"processo", "process"},
    {"proceso", "process"},
    {"prozess", "process"},
    {"seg", "second"},
    {"segundo", "second"},
    {"sek", "second"},
    {"sekunde", "second"},
    {"sekunden", "second"},
    {"tempo", "time"},
    {"temps", "time"},
    {"tiempo", "time"},
    {"zeit", "time"},
};

/// Words that end in s and are no plural.
bool is_singular(std::string_view word) {
  static constexpr std::string_view kSingular[] = {"ms",  "us",  "ns",   "bs",     "gbs", "mbs",
                                                   "tps", "fps", "ips",  "qps",    "rps", "iops",
                                                   "is",  "as",  "gbps", "status", "bus", "bias"};
  return word.size() < 3 || !word.ends_with('s') || word.ends_with("ss") ||
         std::find(std::begin(kSingular), std::end(kSingular), word) != std::end(kSingular);
}

std::string singular_word(std::string word) {
  if (is_singular(word)) return word;
  word.pop_back();
  for (const std::string_view ending : {"sse", "che"}) {
    if (word.ends_with(ending)) word.pop_back();
  }
  if (word.ends_with("ie") && word.size() > 4) word.replace(word.size() - 2, 2, "y");
  return word;
}

bool is_counted_noun(std::string_view word) {
  constexpr std::string_view kNouns[] = {"gpu",   "accelerator", "device", "tpu",  "npu",
                                         "rank",  "process",     "worker", "task", "core",
                                         "cpu",   "thread",      "node",   "host", "param",
                                         "token", "parameter",   "proc",   "pe",   "gcd"};
  return std::find(std::begin(kNouns), std::end(kNouns), word) != std::end(kNouns);
}

/// Adds a word with its short form written out: "ngpus" becomes num, gpu.
void add_word(std::string word, NameWords& words) {
  const auto long_form = [](const std::string& text) {
    const auto* const found =
        std::find_if(std::begin(kLongForms), std::end(kLongForms),
                     [&text](const auto& form) { return form.first == text; });
    return found == std::end(kLongForms) ? std::string() : std::string(found->second);
  };
  std::string full = long_form(word);
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

std::string lower_name(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = is_name_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// Whether a new word begins at `i`, inside a stretch of letters and digits.
bool begins_word(std::string_view text, std::size_t i) {
  const char before = text[i - 1];
  const char here = text[i];
  if (is_name_digit(before) != is_name_digit(here)) return true;
  if (is_name_lower(before) && is_name_upper(here)) return true;
  // The last capital of several belongs to the next word, "GPUCount", but not to a plural, "GPUs".
  const bool last_capital = is_name_upper(before) && is_name_upper(here) && i + 1 < text.size() &&
                            is_name_lower(text[i + 1]);
  const bool plural =
      last_capital && text[i + 1] == 's' && (i + 2 == text.size() || !is_name_lower(text[i + 2]));
  return last_capital && !plural;
}

/// Calls take(word) for the words of a stretch of letters and digits, in lower case.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  std::string whole = lower_name(text);
  if (canonical_unit(text) || whole.find("flop") != std::string::npos) {
    return take(std::move(whole));
  }
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

}  // namespace

std::vector<std::string> words_of_name(std::string_view header) {
  NameWords words;
  const auto take = [&words](std::string_view stretch) {
    for_each_word(stretch, [&words](std::string word) { add_word(std::move(word), words); });
  };
  for_each_stretch(header, take, [&words](char mark) {
    if (mark == '#') words.emplace_back("num");
    if (mark == '%') words.emplace_back("percent");
    if (mark == '/' && !words.empty()) words.emplace_back("per");
  });
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
