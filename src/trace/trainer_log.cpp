#include "trace/trainer_log.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace scalelaw {
namespace {

/// What GPT-NeoX writes before a step: "samples/sec: 7.799 | iteration       34/   10000 | ...".
constexpr std::string_view kRateBefore = "samples/sec:";

/// Removes colours and other commands to a terminal.
void strip_colours(std::string_view line, std::string& plain) {
  plain.clear();
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t escape = std::min(line.find('\x1b', at), line.size());
    plain += line.substr(at, escape - at);
    at = escape + 1;
    if (at >= line.size() || line[at] != '[') continue;
    at = std::min(line.find_first_not_of("0123456789;?", at + 1), line.size()) + 1;
  }
}

/// The line in one of Docker's logs: {"log":"iteration 1/ 10 |\n","stream":"stdout","time":"..."}.
/// @returns Whether there is one.
bool unwrap(std::string_view line, std::string& unwrapped) {
  unwrapped.clear();
  std::size_t at = line.find('"', line.find(':'));
  if (at == std::string_view::npos) return false;
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\') {
      unwrapped += line[at];
      continue;
    }
    if (++at >= line.size()) return false;
    unsigned code = 0;
    const std::string_view digits = line.substr(at + 1, 4);
    if (line[at] == 'u' && digits.size() == 4 &&
        std::from_chars(digits.data(), digits.data() + 4, code, 16).ptr == digits.data() + 4) {
      unwrapped += code < 128 ? static_cast<char>(code) : '?';
      at += 4;
    } else {
      constexpr std::string_view kLetters = "nrtbf";
      const std::size_t letter = kLetters.find(line[at]);
      unwrapped += letter == std::string_view::npos ? line[at] : "\n\r\t\b\f"[letter];
    }
  }
  while (unwrapped.ends_with('\n') || unwrapped.ends_with('\r')) unwrapped.pop_back();
  return at < line.size();
}

void drop_last_blanks(std::string_view& text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
}

/// Removes digits, and blanks around them, from the end of a text.
std::optional<std::int64_t> take_last_number(std::string_view& text) {
  drop_last_blanks(text);
  std::size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  if (error != std::errc() || begin == text.size()) return std::nullopt;
  text = text.substr(0, begin);
  drop_last_blanks(text);
  return number;
}

/// The head of a step at the end of a text.
std::optional<StepHead> head_before(std::string_view text) {
  if (!holds(text, "/")) return std::nullopt;  // Most fields have none.
  const auto last = take_last_number(text);
  if (!last || !text.ends_with('/')) return std::nullopt;
  text.remove_suffix(1);
  const auto number = take_last_number(text);
  if (text.ends_with('=')) text.remove_suffix(1);  // Megatron-DeepSpeed of Argonne.
  if (!number || !text.ends_with("iteration")) return std::nullopt;
  const std::string_view before = text.substr(0, text.size() - 9);
  return StepHead{.number = *number,
                  .last = static_cast<double>(*last),
                  .counts_from_0 = holds(before, "epoch "),
                  .epoch = number_behind(before, "epoch ").value_or(0)};
}

/// The head of a step's line. Loggers may write bars before it.
std::optional<StepHead> step_head(std::string_view line) {
  constexpr int kMostBars = 4;
  std::size_t begin = 0;
  for (int bars = 0; bars < kMostBars; ++bars) {
    const std::size_t bar = line.find('|', begin);
    if (bar == std::string_view::npos) return std::nullopt;
    if (auto head = head_before(line.substr(begin, bar - begin))) {
      head->fields = bar + 1;
      return head;
    }
    begin = bar + 1;
  }
  return std::nullopt;
}

/// The name and the text of a field: "lm loss: 1.2E+01", "lm loss=1.2E+01", and in 2019
/// "lm loss 1.2E+01".
std::pair<std::string_view, std::string_view> log_parts(std::string_view field) {
  // Not find_first_of: it searches its set anew for every character.
  std::size_t end = 0;
  while (end < field.size() && field[end] != ':' && field[end] != '=') ++end;
  if (end == field.size()) {
    field = trimmed(field);
    end = field.rfind(' ');
  }
  if (end == std::string_view::npos) return {};
  return {trimmed(field.substr(0, end)), field.substr(end + 1)};
}

/// Sets what a field of a step says. False if it is known and its text is no number.
bool take_field_into(StepLine& step, std::string_view field) {
  const auto [name, text] = log_parts(field);
  const StepField* known = step_field_of(name);
  return known == nullptr || set_field(*known, text, step);
}

/// Whether a line has a field that is read, with a number.
bool has_step_field(std::string_view line) {
  while (!line.empty()) {
    const std::size_t bar = std::min(line.find('|'), line.size());
    const auto [name, text] = log_parts(line.substr(0, bar));
    if (step_field_of(name) != nullptr && leading_number(text)) return true;
    line.remove_prefix(std::min(bar + 1, line.size()));
  }
  return false;
}

void set_if(Statements& said, Stated what, double value) {
  if (value == value) said.set(what, value);
}

constexpr std::string_view kTimer = "time (ms)";
constexpr std::string_view kDocker = "{\"log\":";

}  // namespace

// --- Lines ---

std::optional<StepLine> whole_step(std::string_view line) {
  std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto head = head_before(line.substr(0, bar));
  if (!head || head->counts_from_0) return std::nullopt;
  if (line.starts_with(kTimer) || line.starts_with(kDocker)) return std::nullopt;
  if (holds(line, "\r") || holds(line, "\x1b")) return std::nullopt;
  StepLine step{.step = {.number = head->number}, .last_step = head->last};
  while (true) {
    line.remove_prefix(bar + 1);
    bar = line.find('|');
    if (bar == std::string_view::npos) break;
    const std::string_view field = line.substr(0, bar);
    if (head_before(field) || !take_field_into(step, field)) return std::nullopt;
  }
  const bool is_whole = step.step.seconds == step.step.seconds && trimmed(line).empty();
  return is_whole ? std::optional(step) : std::nullopt;
}

void TrainerLog::take(std::string_view line, const StepLine* whole, std::uint64_t number,
                      bool cut) {
  const bool may_go_on = has_step_ && !prefix_.empty();  // With the line of the step before.
  if (whole == nullptr || may_go_on || !dictionary_.empty() || !titan_.empty()) {
    return take(line, number, cut);
  }
  number_ = number;
  close_step();
  hold_step(*whole, false);
  prefix_.clear();
  ends_with_bar_ = true;
}

void TrainerLog::take(std::string_view line, std::uint64_t number, bool cut) {
  number_ = number;
  if (line.starts_with(kDocker) && unwrap(line, unwrapped_)) line = unwrapped_;
  if (holds(line, "\x1b")) {
    strip_colours(line, plain_);
    line = plain_;
  }
  while (true) {
    const std::size_t end = line.find('\r');
    if (end == std::string_view::npos) break;
    take_plain(line.substr(0, end), false);
    line.remove_prefix(end + 1);
  }
  take_plain(line, cut);
}

void TrainerLog::take_plain(std::string_view line, bool cut) {
  const bool is_timer = line.starts_with(kTimer);
  if (has_step_ && !is_timer &&
      ((!prefix_.empty() && continue_behind_prefix(line, cut)) || continue_step(line, cut))) {
    return;
  }
  close_step();
  if (!dictionary_.empty() && continue_dictionary(line, cut)) return;
  if (!titan_.empty() && continue_titan(line, cut)) return;
  if (is_timer || take_step(line, cut) || hold_titan(line, cut)) return;
  take_other(line, cut);
}

std::vector<TrainerRun> TrainerLog::finish() {
  close_step();
  release_titan();
  if (!dictionary_.empty()) drop_dictionary(TraceOddity::kCutLine);
  return std::exchange(runs_, {});
}

TrainerRun& TrainerLog::run() {
  const auto is_another = [&] {
    const TrainerRun& last = runs_.back();
    const auto end = last.said.get(Stated::kLastStep);
    const bool is_done = last.ended || is_anew_ ||
                         (end && !last.iterations.empty() &&
                          static_cast<double>(last.iterations.back().number) >= *end);
    return is_done || !last.said.agrees_with(next_.said);
  };
  if (tries_ != 0) {
    join_tries();
    tries_ = 0;
  }
  if (runs_.empty() || (started_ && is_another())) {
    runs_.push_back(std::exchange(next_, {}));
  } else if (started_ || has_next_) {
    if (started_) {
      runs_.back().iterations.restart();
      runs_.back().deepspeed_steps.restart();
      runs_.back().stamped_steps.restart();
      runs_.back().stamp_ns.reset();
    }
    take_statements(std::exchange(next_, {}), runs_.back());
  }
  started_ = false;
  is_anew_ = false;
  has_next_ = false;
  runs_.back().has_error = false;
  return runs_.back();
}

/// A training that begins at step 0 is another one than that which went on from there.
void TrainerLog::begin_training_at(double step) {
  if (step != 0 || runs_.empty()) return;
  const StepSeries& before = runs_.back().iterations;
  if (before.empty() || before.back().number == 0) return;
  is_anew_ = true;
  begin_program();
}

void TrainerLog::begin_try(Start start) {
  const unsigned bit = 1U << static_cast<unsigned>(start);
  if ((tries_ & bit) != 0) {
    join_tries();
    tried_ = std::exchange(next_, {});
    tried_line_ = number_;
    tries_ = 0;
  }
  tries_ |= bit;
}

/// Takes what was said before the line that came again: several ranks write it, or the same
/// settings were tried again. If they differ now, the program before has failed.
void TrainerLog::join_tries() {
  TrainerRun tried = std::exchange(tried_, {});
  if (tried_line_ == 0) return;
  if (tried.said.agrees_with(next_.said)) {
    take_statements(std::move(tried), next_);
  } else {
    notes_.note(TraceOddity::kAbandonedStart, tried_line_, "other settings follow");
  }
  tried_line_ = 0;
}

// --- Steps of Megatron-LM and NeMo ---

bool TrainerLog::take_step(std::string_view line, bool cut) {
  const auto head = step_head(line);
  if (!head) return false;
  begin_step(*head);
  if (line.find('|') + 1 < head->fields) {
    const auto rate = number_behind(line.substr(0, head->fields), kRateBefore);
    step_.step.samples_per_s = rate.value_or(LoggedStep::kNone);
    step_.by_neox = rate.has_value();
  }
  take_fields(line.substr(head->fields), cut);
  // A terminal may have wrapped the line, with its prefix before each piece.
  const bool is_whole = step_.step.seconds == step_.step.seconds && rest_.empty();
  prefix_.clear();
  if (!is_whole) prefix_ = rank_prefix(line);
  return true;
}

void TrainerLog::begin_step(const StepHead& head) {
  StepLine step{.step = {.number = head.number}};
  if (head.counts_from_0) {
    // Without a global step: iterations are those of an epoch, up to the last one's number.
    const double before = head.epoch * (head.last + 1);
    if (before >= 0 && before < 9e15) step.step.number += std::llround(before);
    ++step.step.number;
  } else {
    step.last_step = head.last;
  }
  hold_step(step, head.counts_from_0);
}

/// Makes a step the one whose line may go on.
void TrainerLog::hold_step(const StepLine& step, bool is_nemo) {
  step_ = step;
  step_.step.line = number_;
  is_nemo_ = is_nemo;
  has_step_ = true;
  is_cut_ = false;
  rest_.clear();
}

/// Takes the fields of a step; behind them another rank may have begun a line of its own. The last
/// one waits in `rest_` if no bar ends it, because it may go on in the next line.
void TrainerLog::take_fields(std::string_view fields, bool cut) {
  rest_.clear();
  is_cut_ = false;
  while (!trimmed(fields).empty()) {
    const std::size_t bar = fields.find('|');
    const std::string_view field = fields.substr(0, bar);
    if (bar == std::string_view::npos) {
      is_cut_ = cut;
      if (!cut) rest_ = field;
      return;
    }
    if (const auto head = head_before(field)) {
      close_step();
      begin_step(*head);
    } else {
      take_field(field);
    }
    fields.remove_prefix(bar + 1);
  }
  ends_with_bar_ |= !is_nemo_;
}

void TrainerLog::take_field(std::string_view field) {
  if (take_field_into(step_, field)) return;
  notes_.note(TraceOddity::kBadCell, step_.step.line, field.substr(0, 80));
}

/// Takes a line that goes on with a wrapped one behind the prefix that both have. A blank behind
/// the prefix belongs to it unless the field is only known with it.
bool TrainerLog::continue_behind_prefix(std::string_view line, bool cut) {
  if (!line.starts_with(prefix_)) return false;
  line.remove_prefix(prefix_.size());
  if (line.starts_with(' ')) {
    const std::string joined = rest_ + std::string(line.substr(0, line.find('|')));
    const auto [name, text] = log_parts(joined);
    const bool is_known = step_field_of(name) != nullptr && parse_number(trimmed(text));
    if (!is_known) line.remove_prefix(1);
  }
  return continue_step(line, cut);
}

/// Takes a line that goes on with a wrapped one. Its first field is one with a number if the end of
/// the line before is put in front of it. If that line ended with a bar, the line goes on with it
/// if it has a field that is read.
bool TrainerLog::continue_step(std::string_view line, bool cut) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || head_before(line.substr(0, bar))) return false;
  if (holds(line.substr(0, bar), kRateBefore)) return false;
  const std::size_t before = rest_.size();
  const bool was_whole = trimmed(rest_).empty();
  rest_ += line.substr(0, bar);
  const auto [name, text] = log_parts(rest_);
  const bool is_field = was_whole ? has_step_field(line) : parse_number(trimmed(text)).has_value();
  if (!is_field) {
    rest_.resize(before);
    return false;
  }
  take_field(rest_);
  take_fields(line.substr(bar + 1), cut);
  return true;
}

/// Takes the field that no bar ended. Where lines end with one, nothing tells whether it is whole.
void TrainerLog::close_rest() {
  const std::string field = std::exchange(rest_, {});
  if (field.empty()) return;
  if (!ends_with_bar_) return take_field(field);
  if (step_field_of(log_parts(field).first) == nullptr) return;
  notes_.note(TraceOddity::kBadCell, step_.step.line,
              fmt::format("{}, where the line is torn", trimmed(field).substr(0, 80)));
}

void TrainerLog::close_step() {
  if (!std::exchange(has_step_, false)) return;
  close_rest();
  LoggedStep& step = step_.step;
  if (step_.epoch_step == step_.epoch_step) {
    step.number = std::max<std::int64_t>(1, std::llround(std::min(step_.epoch_step, 9e15)) + 1);
  }
  if (!(step.seconds > 0)) step.seconds = LoggedStep::kNone;
  if (is_cut_ && step.seconds != step.seconds && step.loss != step.loss) {
    return notes_.note(TraceOddity::kCutLine, step.line, fmt::format("step {}", step.number));
  }
  if (is_cut_ && (step.seconds != step.seconds || step.loss != step.loss)) {
    notes_.note(TraceOddity::kBadCell, step.line,
                fmt::format("step {}, whose line is cut", step.number));
  }
  if (step.seconds != step.seconds && step.loss != step.loss) {
    notes_.note(TraceOddity::kBareStep, step.line, fmt::format("step {}", step.number));
  }
  TrainerRun& of = run();
  (is_nemo_ ? of.by_nemo : of.by_megatron) = true;
  of.by_neox |= step_.by_neox;
  if (!of.iterations.add(step, notes_)) return;
  set_if(of.said, Stated::kLastStep, step_.last_step);
  add_loss({.step = static_cast<double>(step.number), .validation_loss = step_.validation_loss},
           of.losses);
  set_if(of.said, Stated::kSamples, step.consumed_samples);
  set_if(of.said, Stated::kTokens, step.consumed_tokens);
  set_if(of.said, Stated::kSequence, step_.sequence);
  if (step_.last_step <= static_cast<double>(step.number)) of.ended = true;
}

/// NeMo's progress bar: "Epoch 0: :  47%|####     | 7/15 [06:19<07:13, reduced_train_loss=11.50,
/// global_step=5.000, consumed_samples=12288.0, train_step_timing in s=49.50]".
bool TrainerLog::take_bar(std::string_view line) {
  const auto seconds = number_behind(line, "train_step_timing in s=");
  if (!seconds && !loss_behind(line, "reduced_train_loss=")) return false;
  TrainerRun& of = run();
  of.by_nemo = true;
  LoggedStep step{.number = 1, .line = number_, .seconds = seconds.value_or(LoggedStep::kNone)};
  const std::string_view text = behind(line, "global_step=");
  const auto number = leading_number(text);
  // The bar writes 2001 as 2e+3.
  const bool is_rounded = holds(text.substr(0, text.find_first_of(",]")), "e");
  const auto last = of.iterations.empty() ? 0 : of.iterations.back().number;
  if (number && *number >= 0 && *number < 9e15) step.number = std::llround(*number) + 1;
  if (!number || is_rounded) step.number = last + 1;
  if (step.number == last) return true;  // The bar is drawn again.
  step.loss = loss_behind(line, "reduced_train_loss=").value_or(LoggedStep::kNone);
  step.consumed_samples = number_behind(line, "consumed_samples=").value_or(LoggedStep::kNone);
  if (!of.iterations.add(step, notes_)) return true;
  set_if(of.said, Stated::kSamples, step.consumed_samples);
  add_loss({.step = static_cast<double>(step.number),
            .validation_loss = loss_behind(line, "val_loss=").value_or(LoggedLoss::kNone)},
           of.losses);
  return true;
}

// --- Settings and other lines ---

/// Takes a line that tells of an error: if no step follows, the run ended in it.
void TrainerLog::take_error(std::string_view line) {
  const bool is_harmless = std::exchange(
      is_harmless_, holds(line, "Exception ignored in") || holds(line, "--- Logging error ---"));
  const bool is_error =
      holds(line, "Traceback (most recent call last)") || holds(line, "OutOfMemoryError") ||
      holds(line, "CUDA out of memory") ||
      (holds(line, "slurmstepd: error: ") && (holds(line, "oom_kill") || holds(line, "oom-kill")));
  if (!is_error || is_harmless || runs_.empty() || started_) return;
  runs_.back().has_error = true;
}

void TrainerLog::take_other(std::string_view line, bool cut) {
  take_error(line);
  has_next_ = true;
  if (cut && holds(line, "iter ") && holds(line, ": loss ")) {
    // The line of nanoGPT says all that is read before its last field.
    if (!take_iteration(line)) note(TraceOddity::kCutLine, line);
    return;
  }
  if (holds(line, "step: ") && take_titan_step(line, cut)) return;
  if (cut && holds(line, ": train loss ")) return note(TraceOddity::kCutLine, line);
  const std::string_view dictionary = dictionary_in(line);
  if (cut && dictionary.empty() && !holds(line, "SamplesPerSec=") && !holds(line, "iter time"))
    return;
  if (holds(line, " ..")) {
    if (holds(line, " arguments ")) begin_program();
    take_setting(line, next_.said);
    if (holds(line, " deepspeed ..") && holds(line, " True")) next_.by_deepspeed = true;
    return;
  }
  if (const auto steps = number_behind(line, "TrainOutput(global_step="); steps && !runs_.empty()) {
    // It repeats the summary, and adds to it.
    runs_.back().said.set(Stated::kSteps, steps);
    return runs_.back().said.set(Stated::kTotalFlops, number_behind(line, "'total_flos': "));
  }
  if (!dictionary.empty() && take_dictionary(dictionary, cut)) {
    dictionary_prefix_ = line.substr(0, line.size() - dictionary.size());
    return;
  }
  if ((in_summary_ || holds(line, "***** train metrics")) && take_summary_line(line)) return;
  if ((holds(line, "raining ") || holds(line, " mesh ") || holds(line, " total parameters") ||
       holds(line, " batch size ")) &&
      take_titan_statement(line)) {
    return;
  }
  if (holds(line, "=") && (take_engine_rate(line, cut) || take_stamp(line) || take_bar(line) ||
                           take_hub_setting(line))) {
    return;
  }
  if (holds(line, ":") && (take_engine_step(line, cut) || take_time(line) || take_sizes(line) ||
                           take_loss(line) || take_statement(line))) {
    return;
  }
  take_start(line);
}

/// "using world size: 16, ..." and "Training with DataParallel so batch size has been adjusted to:
/// 4".
bool TrainerLog::take_named_size(std::string_view line) {
  if (holds(line, "using world size:")) {
    begin_program();
    begin_try(Start::kWorld);
    take_world(line, next_.said);
    return true;
  }
  const auto adjusted = count_behind(line, "batch size has been adjusted to: ");
  // A batch that did not fit into memory is halved. A larger one is that of several devices.
  const auto stated = next_.said.get(Stated::kMicroBatch);
  if (adjusted && stated && *adjusted < *stated) next_.said.set(Stated::kMicroBatch, adjusted);
  return adjusted.has_value();
}

/// Sizes that launchers and libraries tell.
bool TrainerLog::take_statement(std::string_view line) {
  // "size": searches go from one place of their first letter to the next, and few words have a z.
  if (holds(line, "ze") && take_named_size(line)) return true;
  if (const auto member = behind(line, "MEMBER: "); !member.empty()) {
    begin_program();
    next_.said.add(Stated::kGpus, number_behind(member, "/"));
  } else if (holds(line, "Rank 0 has ")) {
    const auto group = behind(line, "parallel group");
    const std::string_view list = group.substr(0, group.find(']'));
    if (!holds(list, "[")) return true;
    const double size = 1 + static_cast<double>(std::ranges::count(list, ','));
    if (holds(line, " has tensor model ")) next_.said.add(Stated::kTensorParallel, size);
    if (holds(line, " has pipeline model ")) next_.said.add(Stated::kPipelineParallel, size);
    if (holds(line, " has data parallel group")) next_.said.add(Stated::kDataParallel, size);
  } else if (const auto all = number_behind(line, "|| all params:")) {
    next_.said.add(Stated::kParameters, count_behind(line, "|| all params:"));
  } else {
    take_setting(line, next_.said);
    return false;
  }
  return true;
}

bool TrainerLog::take_start(std::string_view line) {
  if (holds(line, "***** Running training *****")) {
    begin_program();
    begin_try(Start::kTraining);
    return true;
  }
  if (holds(line, " arguments ---") || holds(line, "DeepSpeed info: version")) {
    begin_program();
    return true;
  }
  if (holds(line, "distributed processes registered. Starting with")) {
    next_.said.add(Stated::kGpus, number_behind(line, "Starting with "));
    return true;
  }
  if (holds(line, "`Trainer.fit` stopped: `max_") && !runs_.empty()) runs_.back().ended = true;
  if (holds(line, "Continuing training from")) next_.resumed = true;
  return false;
}

/// "[before the start of training step] datetime: 2021-05-27 15:21:49 ".
bool TrainerLog::take_time(std::string_view line) {
  const std::string_view text = behind(line, "] datetime: ");
  if (text.empty()) return false;
  const auto time = parse_date_time(trimmed(text));
  if (holds(line, "[before the start of training step]")) next_.begin_ns = time;
  if (holds(line, "[after training is done]") && !runs_.empty()) {
    runs_.back().end_ns = time;
    runs_.back().ended = true;
  }
  return true;
}

// Each line is looked through for what several kinds of lines have in common.

bool TrainerLog::take_sizes(std::string_view line) {
  if (holds(line, "number of ") && (take_shard(line) || take_model_size(line))) return true;
  // The line of nanoGPT ends in a digit. Behind a logger's prefix it is the end of a line.
  constexpr std::size_t kLongest = 64;
  if (line.empty() || line.back() < '0' || line.back() > '9') return false;
  line.remove_prefix(line.size() - std::min(line.size(), kLongest));
  const auto tokens = count_behind(line, "tokens per iteration will be: ");
  if (!tokens) return false;
  begin_try(Start::kTokens);
  next_.said.add(Stated::kTokensPerStep, tokens);
  return true;
}

bool TrainerLog::take_loss(std::string_view line) {
  return holds(line, "loss ") &&
         (take_validation(line) || take_iteration(line) || take_evaluation(line));
}

/// " > number of parameters on (tensor, pipeline) model parallel rank (0, 1): 345642".
bool TrainerLog::take_shard(std::string_view line) {
  const std::string_view place = behind(line, "number of parameters on ");
  if (!place.empty()) {
    const auto tensor = number_behind(place, "rank (");
    const auto pipeline = number_behind(behind(place, "rank ("), ",");
    const auto count = number_behind(place, "):");
    const auto is_rank = [](std::optional<double> rank) {
      return rank && *rank >= 0 && *rank < 1e6;
    };
    if (is_rank(tensor) && is_rank(pipeline) && count) {
      next_.shards.try_emplace({static_cast<int>(*tensor), static_cast<int>(*pipeline)}, *count);
    }
    return true;
  }
  const auto billions = number_behind(line, "Total number of parameters in billions:");
  if (billions) next_.said.add(Stated::kParameters, 1e9 * *billions);
  return billions.has_value();
}

/// " validation loss at iteration 1000 | lm loss value: 2.7E+00 | lm loss PPL: 1.5E+01 | ".
bool TrainerLog::take_validation(std::string_view line) {
  const std::string_view text = behind(line, "validation loss at ");
  const auto loss = loss_behind(text, "loss value:");
  if (!loss) return false;
  const std::string_view when = text.substr(0, text.find('|'));
  if (holds(when, "test")) return true;
  TrainerRun& of = run();
  auto step = number_behind(when, "iteration");
  if (!step && !of.iterations.empty()) step = static_cast<double>(of.iterations.back().number);
  add_loss({.step = step.value_or(LoggedLoss::kNone), .validation_loss = *loss}, of.losses);
  return true;
}

}  // namespace scalelaw
