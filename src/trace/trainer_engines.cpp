#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>

#include "scalelaw/base/duration.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/members.hpp"
#include "trace/trainer_log.hpp"

// The lines of DeepSpeed's engine, and those of the Trainer of Hugging Face, which may run on it.
namespace scalelaw {
namespace {

/// The time in "[2022-08-29 06:58:56,121] [INFO] ".
std::optional<std::int64_t> stamp_in(std::string_view line) {
  constexpr std::size_t kLength = 23;  // With milliseconds.
  const std::size_t begin = line.find("[2");
  if (begin == std::string_view::npos) return std::nullopt;
  std::string text(line.substr(begin + 1, kLength));
  std::ranges::replace(text, ',', '.');
  return parse_date_time(text);
}

/// What a dictionary of Trainer says.
struct HubLine {
  Statements said;
  std::optional<double> loss;
  std::optional<double> validation_loss;
  bool has_loss = false;  ///< Which may be NaN.
  bool is_summary = false;
  bool is_whole = false;
  std::string_view bad;  ///< A value that is no number.

  bool is_progress() const { return said.get(Stated::kEpochs) && has_loss; }
};

HubLine hub_line_of(std::string_view dictionary) {
  HubLine hub;
  const auto number_of = [&](const Member& member) {
    const auto number = parse_number(member.value);
    if (!number && !is_missing(member.value) && !is_infinite(member.value)) hub.bad = member.value;
    return number;
  };
  const auto loss_of = [&](const Member& member) {
    const auto loss = leading_loss(member.value);
    return loss ? loss : number_of(member);
  };
  const auto take = [&](const Member& member) {
    if (member.depth != 1) return;
    for (const auto& [name, what] : kTransformersFigures) {
      if (name != member.key) continue;
      hub.said.set(what, what == Stated::kTrainLoss ? loss_of(member) : number_of(member));
    }
    if (member.key == "step") hub.said.set(Stated::kSteps, number_of(member));
    if (member.key == "loss") hub.loss = loss_of(member);
    if (member.key == "eval_loss") hub.validation_loss = loss_of(member);
    hub.has_loss |= member.key == "loss" || member.key == "eval_loss";
    hub.is_summary |= member.key == "train_runtime";
  };
  hub.is_whole = for_each_member(dictionary, take) != std::string_view::npos;
  return hub;
}

/// The last word of a text: a logger may have put its prefix before it.
std::string_view last_word_of(std::string_view text) {
  return text.substr(text.find_last_of(" \t:") + 1);  // npos + 1 is 0.
}

/// Whether a line is that of tqdm alone: " 30%|### | 3/10 [00:01<00:09,  1.00s/it]".
bool is_progress_bar(std::string_view line) {
  return holds(line, "%|") && (holds(line, "it/s]") || holds(line, "s/it]")) &&
         line.find_first_of("'\"{}") == std::string_view::npos;
}

/// Whether a line begins with a prefix, or one that differs in its digits, as time stamps do. A
/// prefix does not end in a digit, which may be one of a wrapped number.
bool has_prefix_like(std::string_view line, std::string_view prefix) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (prefix.empty() || is_digit(prefix.back())) return false;
  return line.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), line.begin(),
                    [&](char a, char b) { return a == b || (is_digit(a) && is_digit(b)); });
}

/// Whether a text is the begin of a line of Trainer, however short.
bool begins_as_hub_line(std::string_view text) {
  static constexpr std::string_view kBegins[] = {
      "{'loss': ",   "{'eval_loss': ",   "{'train_runtime': ",
      "{\"loss\": ", "{\"eval_loss\": ", "{\"train_runtime\": "};
  return std::ranges::any_of(kBegins, [&](std::string_view begin) {
    return text.starts_with(begin) || begin.starts_with(text);
  });
}

}  // namespace

// --- DeepSpeed's engine ---

/// "steps: 1 loss: 12.79 iter time (s): 150.471 samples/sec: 6.805".
bool TrainerLog::take_engine_step(std::string_view line, bool cut) {
  constexpr std::string_view kTime = "iter time (s):";
  const std::size_t at = line.find(kTime);
  if (at == std::string_view::npos) return false;
  auto number = number_behind(line, "steps:");
  if (!number) number = number_behind(line, "step:");
  const auto seconds = number_behind(line, kTime);
  const bool is_cut = cut && !holds(line.substr(at), "eta:");
  if (!number || !(*number >= 0 && *number < 9e15) || !seconds || is_cut) {
    note(is_cut ? TraceOddity::kCutLine : TraceOddity::kBadCell, line);
    return true;
  }
  TrainerRun& of = run();
  of.by_deepspeed = true;
  LoggedStep step{.number = std::llround(*number), .line = number_, .seconds = *seconds};
  step.samples_per_s = number_behind(line, "samples/sec:").value_or(LoggedStep::kNone);
  step.loss = loss_behind(line, "loss:").value_or(LoggedStep::kNone);
  of.deepspeed_steps.add(step, notes_);
  return true;
}

/// "epoch=0/micro_step=199/global_step=199, RunningAvgSamplesPerSec=58.7, CurrSamplesPerSec=61.3".
/// The running average leaves out the first two steps.
bool TrainerLog::take_engine_rate(std::string_view line, bool cut) {
  constexpr std::string_view kRate = "SamplesPerSec=";
  const std::size_t at = line.find(kRate);
  if (at == std::string_view::npos) return false;
  const std::string_view text = line.substr(at + kRate.size());
  const auto rate = leading_number(text);
  if (!rate || (cut && !holds(text, ","))) {
    note(cut ? TraceOddity::kCutLine : TraceOddity::kBadCell, line);
    return true;
  }
  TrainerRun& of = run();
  of.by_deepspeed = true;
  of.said.set(Stated::kEngineRate, rate);
  of.said.set(Stated::kSteps, number_behind(line, "global_step="));
  return true;
}

/// "[2022-08-29 06:58:56,121] [INFO] [logging.py:68:log_dist] [Rank 0] step=20, skipped=17, ...".
/// The time between such lines is that of the steps between them.
bool TrainerLog::take_stamp(std::string_view line) {
  const std::size_t at = line.find("[Rank 0] step=");
  if (at == std::string_view::npos || !holds(line, ", skipped=")) return false;
  const auto number = number_behind(line, "[Rank 0] step=");
  const auto time = stamp_in(line.substr(0, at));
  if (!number || !(*number > 0 && *number < 9e15)) return true;
  TrainerRun& of = run();
  of.by_deepspeed = true;
  LoggedStep step{.number = std::llround(*number), .line = number_};
  const std::int64_t before = of.stamped_steps.empty() ? 0 : of.stamped_steps.back().number;
  if (time && of.stamp_ns && step.number > before && *time > *of.stamp_ns) {
    step.seconds =
        static_cast<double>(*time - *of.stamp_ns) / 1e9 / static_cast<double>(step.number - before);
  }
  of.stamp_ns = time;
  of.stamped_steps.add(step, notes_);
  return true;
}

// --- Hugging Face ---

/// What Trainer writes after "***** Running training *****", and DeepSpeed's launcher.
bool TrainerLog::take_hub_setting(std::string_view line) {
  struct Label {
    std::string_view text;
    Stated what;
  };
  static constexpr std::array kLabels{
      Label{"Num Epochs = ", Stated::kPlannedEpochs},
      Label{"Instantaneous batch size per device = ", Stated::kMicroBatch},
      Label{"distributed & accumulation) = ", Stated::kGlobalBatch},
      Label{"Gradient Accumulation steps = ", Stated::kAccumulation},
      Label{"Total optimization steps = ", Stated::kLastStep},
      Label{"Number of trainable parameters = ", Stated::kTrainable},
      Label{"dist_world_size=", Stated::kGpus},
      Label{"Discovered MPI settings of world_rank=0, local_rank=0, world_size=", Stated::kGpus},
      Label{"] nnodes=", Stated::kNodes},
      // Unsloth has several in a line.
      Label{"Num GPUs used = ", Stated::kGpus}, Label{"Total steps = ", Stated::kLastStep},
      Label{"  Batch size per device = ", Stated::kMicroBatch},
      Label{"Data Parallel GPUs = ", Stated::kDataParallel},
      Label{"Trainable parameters = ", Stated::kTrainable}};
  bool is_setting = false;
  for (const auto& [label, what] : kLabels) {
    const auto count = count_behind(line, label);
    next_.said.add(what, count);
    is_setting |= count.has_value();
  }
  if (holds(line, "| Total batch size (")) {
    next_.said.add(Stated::kGlobalBatch,
                   count_behind(behind(line, "| Total batch size ("), ") = "));
  }
  if (holds(line, "Trainable parameters = ")) {
    next_.said.add(Stated::kParameters,
                   count_behind(behind(line, "Trainable parameters = "), " of "));
  }
  return is_setting;
}

/// "  train_runtime            = 0:03:20.00" and others behind "***** train metrics *****", which
/// are rounded: what the run said before holds.
bool TrainerLog::take_summary_line(std::string_view line) {
  if (holds(line, "***** ")) in_summary_ = holds(line, "***** train metrics *****");
  const std::size_t equals = line.find(" = ");
  if (!in_summary_ || equals == std::string_view::npos) return false;
  const std::string_view name = last_word_of(trimmed(line.substr(0, equals)));
  std::string_view text = trimmed(line.substr(equals + 3));
  for (const auto& [known, what] : kTransformersFigures) {
    if (name != known) continue;
    const bool is_giga = text.ends_with("GF");
    if (is_giga) text.remove_suffix(2);
    const auto number = holds(text, ":") ? parse_duration(text) : parse_number(text);
    TrainerRun& of = run();
    of.by_transformers = true;
    of.ended = true;
    if (number) of.said.add(what, is_giga ? *number * 1e9 : *number);
    return true;
  }
  return name.starts_with("train_");
}

/// A program that was started again does the epochs again that came behind its checkpoint. If it
/// does not tell so, its epochs go back by more than the lines of two nodes are apart.
void TrainerLog::drop_losses_done_again(double epoch, bool is_restart,
                                        std::vector<LoggedLoss>& losses) {
  const bool is_back = losses.size() > 1 && epoch < losses[losses.size() - 2].epoch;
  if (!is_restart && !is_back) return;
  std::erase_if(losses, [&](const LoggedLoss& loss) {
    if (!(loss.epoch >= epoch)) return false;
    note(TraceOddity::kRepeatedLine,
         fmt::format("epoch {}, done again after a restart", loss.epoch));
    return true;
  });
}

/// Gives up a dictionary whose end did not come.
void TrainerLog::drop_dictionary(TraceOddity oddity) {
  notes_.note(oddity, dictionary_line_, std::string_view(dictionary_).substr(0, 80));
  dictionary_.clear();
}

/// Takes a line that goes on with a dictionary: one with a part of its members or its brace.
/// Another line in between ends the waiting.
bool TrainerLog::continue_dictionary(std::string_view line, bool cut) {
  constexpr std::size_t kLongest = 4096;
  if (is_progress_bar(line)) return true;
  std::string_view piece = line;
  if (has_prefix_like(line, dictionary_prefix_)) piece.remove_prefix(dictionary_prefix_.size());
  const bool is_part = piece.find_first_of("'\"}") != std::string_view::npos;
  const bool is_another = !dictionary_in(line).empty();
  if (!is_part || is_another || dictionary_.size() + piece.size() > kLongest) {
    drop_dictionary(TraceOddity::kForeignLine);
    return false;
  }
  const std::string joined = std::exchange(dictionary_, {}) + std::string(piece);
  const std::uint64_t begin = std::exchange(dictionary_line_, 0);
  if (take_dictionary(joined, cut)) {
    if (!dictionary_.empty()) dictionary_line_ = begin;
    return true;
  }
  notes_.note(TraceOddity::kForeignLine, begin, std::string_view(joined).substr(0, 80));
  return true;
}

/// "{'loss': 2.3475, 'learning_rate': 1e-05, 'epoch': 0.01}" and the summary at the end,
/// "{'train_runtime': 273.0148, 'train_samples_per_second': 3.663, ..., 'epoch': 1.0}", or as JSON.
bool TrainerLog::take_dictionary(std::string_view line, bool cut) {
  const HubLine hub = hub_line_of(line);
  if (!hub.is_whole && begins_as_hub_line(line)) {
    // A terminal may have wrapped it.
    dictionary_ = line;
    dictionary_line_ = number_;
    if (cut) drop_dictionary(TraceOddity::kCutLine);
    return true;
  }
  if (!hub.is_summary && !hub.is_progress()) return false;
  if (!hub.is_whole) {
    note(cut ? TraceOddity::kCutLine : TraceOddity::kForeignLine, line);
    return true;
  }
  if (!hub.bad.empty()) note(TraceOddity::kBadCell, hub.bad);
  if (!runs_.empty() && runs_.back().by_transformers && runs_.back().ended) {
    // Behind its summary a run has evaluations, and summaries of other ranks.
    const auto before = runs_.back().said.get(Stated::kEpochs);
    const auto now = hub.said.get(Stated::kEpochs);
    const bool is_next = started_ || (before && now && *now < *before);
    if (!is_next && hub.is_summary) {
      note(TraceOddity::kRepeatedLine, line);
      return true;
    }
    if (is_next) begin_program();
  }
  const bool is_restart = started_;
  TrainerRun& of = run();
  of.by_transformers = true;
  of.ended = of.ended || hub.is_summary;
  if (hub.is_progress()) {
    drop_losses_done_again(*hub.said.get(Stated::kEpochs), is_restart, of.losses);
  }
  of.said.set(Stated::kSteps, hub.said.get(Stated::kSteps));
  add_loss({.step = hub.said.get(Stated::kSteps).value_or(LoggedLoss::kNone),
            .epoch = hub.said.get(Stated::kEpochs).value_or(LoggedLoss::kNone),
            .tokens = hub.said.get(Stated::kTokens).value_or(LoggedLoss::kNone),
            .loss = hub.loss.value_or(LoggedLoss::kNone),
            .validation_loss = hub.validation_loss.value_or(LoggedLoss::kNone)},
           of.losses);
  for (const TransformersKey& key : kTransformersFigures)
    of.said.set(key.what, hub.said.get(key.what));
  return true;
}

namespace {

// The lines of nanoGPT (train.py and model.py of karpathy/nanoGPT) and of programs made after it.
// The first iteration has number 0, so that "iter 10" tells the loss after 10 steps.

/// The number of "iter 10:", behind the label; empty if there is no such number.
std::optional<double> number_before_colon(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find(':'));
  constexpr std::size_t kMostDigits = 15;  // Doubles hold such a number exactly.
  return is_digits(digits) && digits.size() <= kMostDigits ? parse_number(digits) : std::nullopt;
}

/// The tokens of the steps before one; empty before the first, as no curve has a place for 0.
std::optional<double> tokens_before(double step, const Statements& said) {
  const auto tokens = said.get(Stated::kTokensPerStep);
  return tokens && step > 0 ? std::optional(step * *tokens) : std::nullopt;
}

}  // namespace

std::optional<LoggedStep> nanogpt_step(std::string_view line) {
  const std::string_view text = behind(line, "iter ");
  const std::string_view time = behind(text, ", time ");
  const auto number = number_before_colon(text);
  const auto loss = loss_behind(text, ": loss ");
  const std::size_t end = time.find("ms");
  if (!number || !loss || end == std::string_view::npos) return std::nullopt;
  const auto seconds = parse_number(std::string(time.substr(0, end)) + "e-3");
  if (!seconds) return std::nullopt;
  return LoggedStep{
      .number = static_cast<std::int64_t>(*number), .seconds = *seconds, .loss = *loss};
}

bool TrainerLog::take_iteration(std::string_view line) {
  auto step = nanogpt_step(line);
  if (!step) return false;
  begin_training_at(static_cast<double>(step->number));
  TrainerRun& of = run();
  of.by_nanogpt = true;
  step->line = number_;
  const auto tokens = tokens_before(static_cast<double>(step->number), of.said);
  step->consumed_tokens = tokens.value_or(LoggedStep::kNone);
  if (of.iterations.add(*step, notes_)) of.said.set(Stated::kTokens, tokens);
  return true;
}

/// "step 250: train loss 1.9655, val loss 2.0584", which is measured before the step 250.
bool TrainerLog::take_evaluation(std::string_view line) {
  const std::string_view text = behind(line, "step ");
  const auto number = number_before_colon(text);
  const auto loss = loss_behind(text, ", val loss ");
  if (!number || !loss || !holds(text, ": train loss ")) return false;
  begin_training_at(*number);
  TrainerRun& of = run();
  of.by_nanogpt = true;
  add_loss({.step = *number,
            .tokens = tokens_before(*number, of.said).value_or(LoggedLoss::kNone),
            .validation_loss = *loss},
           of.losses);
  return true;
}

/// "number of parameters: 29.94M", and of old "total number of tokens per iteration: 491520".
bool TrainerLog::take_model_size(std::string_view line) {
  const std::string_view size = behind(line, "number of parameters: ");
  if (const std::size_t end = size.find('M'); end != std::string_view::npos) {
    const auto count = parse_number(std::string(size.substr(0, end)) + "e6");
    next_.said.add(Stated::kParameters, count);
    return count.has_value();
  }
  const auto tokens = count_behind(line, "number of tokens per iteration: ");
  next_.said.add(Stated::kTokensPerStep, tokens);
  return tokens.has_value();
}

}  // namespace scalelaw
