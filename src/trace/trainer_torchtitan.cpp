#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/trainer_log.hpp"

// The lines of TorchTitan (torchtitan/components/metrics.py, train.py or trainer.py, and
// distributed/parallel_dims.py of pytorch/torchtitan):
//   [titan] 2025-05-15 14:22:16,012 - root - INFO - step: 10  loss:  7.8712  grad_norm:  2.6431
//   memory: 47.52GiB(50.02%)  tps: 6,018  tflops: 348.60  mfu: 35.25%
// A line tells the tokens per second of one GPU since the line before, and not the time of a step.

namespace scalelaw {
namespace {

/// Removes a number with commas between thousands from the front of a text: "1,310.72". Empty if
/// there is none, or one that ends within its thousands: "6,0".
std::optional<double> take_amount(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("-0123456789,.eE+"), text.size());
  std::string digits;
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] != ',') {
      digits += text[i];
      continue;
    }
    const std::string_view rest = text.substr(i + 1, end - i - 1);
    const std::size_t group = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (i == 0 || group != 3) return std::nullopt;
  }
  text.remove_prefix(end);
  return parse_number(digits);
}

/// The amount behind a label; empty without it.
std::optional<double> amount_behind(std::string_view line, std::string_view label) {
  std::string_view text = trimmed(behind(line, label));
  return take_amount(text);
}

/// Whether the text begins with what is removed then.
bool take_text(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

/// Whether a line that was joined tells a step in TorchTitan's own fields, and nothing between
/// them: what another program wrote across a torn line shows there.
bool has_own_fields_only(std::string_view line) {
  constexpr std::array<std::string_view, 8> kMembers{
      "step:", "loss:", "grad_norm:", "memory:", "tps:", "wps:", "tflops:", "mfu:"};
  for (std::string_view text = line.substr(std::min(line.find("step:"), line.size()));
       !trimmed(text).empty();) {
    text = trimmed(text);
    if (std::ranges::none_of(kMembers,
                             [&](std::string_view name) { return take_text(text, name); })) {
      return false;
    }
    text = trimmed(text);
    if (take_text(text, "N/A") || take_text(text, "nan") || take_text(text, "inf")) continue;
    if (!take_amount(text)) return false;
    if (take_text(text, "GiB(") && (!take_amount(text) || !take_text(text, "%)"))) return false;
    take_text(text, "%");
  }
  return true;
}

/// Tokens per second of one GPU. Before 2025 they were called words.
std::optional<double> rate_of(std::string_view line) {
  const auto rate = amount_behind(line, "tps: ");
  return rate ? rate : amount_behind(line, "wps: ");
}

/// The time in "[titan] 2025-05-15 14:22:16,012 - root - INFO - ".
std::optional<std::int64_t> stamp_of(std::string_view line) {
  constexpr std::size_t kLength = 23;  // With milliseconds.
  const std::size_t end = line.find(" - root - ");
  if (end == std::string_view::npos || end < kLength) return std::nullopt;
  std::string text(line.substr(end - kLength, kLength));
  std::ranges::replace(text, ',', '.');
  return parse_date_time(text);
}

/// Takes the sizes in "dp_shard=4, cp=1, tp=2" or "['dp_shard', 'tp'], [4, 2]".
class MeshSizes {
 public:
  explicit MeshSizes(std::string_view text) : text_(text) {
    const std::size_t list = text.find("], [");
    if (list != std::string_view::npos) listed_ = text.substr(list + 4);
  }

  /// The size of a dimension; 1 if the mesh lacks it.
  double size(std::string_view name) const {
    if (listed_.data() == nullptr) {
      return std::max(1.0, number_behind(text_, std::string(name) + "=").value_or(1));
    }
    const std::size_t at = text_.find('\'' + std::string(name) + '\'');
    if (at == std::string_view::npos) return 1;
    std::string_view sizes = listed_;
    for (auto before = std::count(text_.begin(), text_.begin() + static_cast<long>(at), ',');
         before > 0; --before) {
      sizes.remove_prefix(std::min(sizes.find(',') + 1, sizes.size()));
    }
    return std::max(1.0, leading_number(sizes).value_or(1));
  }

  /// All devices, whatever the names of the dimensions; empty if the sizes are not listed.
  std::optional<double> listed_devices() const {
    if (listed_.data() == nullptr) return std::nullopt;
    double devices = 1;
    for (std::string_view sizes = listed_; !sizes.empty();) {
      const auto size = leading_number(sizes);
      if (!size) return std::nullopt;
      devices *= std::max(1.0, *size);
      const std::size_t comma = sizes.substr(0, sizes.find(']')).find(',');
      if (comma == std::string_view::npos) break;
      sizes.remove_prefix(comma + 1);
    }
    return devices;
  }

 private:
  std::string_view text_;
  std::string_view listed_ = {};
};

void take_mesh(std::string_view text, Statements& said) {
  const MeshSizes mesh(text);
  // With expert parallelism the shards of the data are divided, and there is no "dp_shard".
  const double in_experts = mesh.size("dp_shard_in_ep");
  const double shards = mesh.size("dp_shard") * mesh.size("dp_shard_mod_ep") * in_experts;
  const double data = mesh.size("dp") * mesh.size("dp_replicate") * shards;
  const double tensor = mesh.size("tp");
  const double pipeline = mesh.size("pp");
  const double context = mesh.size("cp");
  said.add(Stated::kGpus, mesh.listed_devices().value_or(data * tensor * pipeline * context));
  said.add(Stated::kDataParallel, data);
  said.add(Stated::kTensorParallel, tensor);
  said.add(Stated::kPipelineParallel, pipeline);
  said.add(Stated::kContextParallel, context);
  said.add(Stated::kExpertParallel, number_behind(text, " ep="));
  // Whether experts are on the ranks of tensor parallelism, too, a list does not say.
  const bool has_experts = holds(text, "'dp_shard_mod_ep'") && tensor == 1;
  if (has_experts) said.add(Stated::kExpertParallel, in_experts * context);
}

/// Takes the loss of a step of a pipeline, which only the ranks of its last stage know. The others
/// log -1 (train_step of torchtitan/train.py), and may come first.
void take_loss_of_pipeline(LoggedStep& step, std::vector<LoggedLoss>& losses) {
  const double loss = std::exchange(step.loss, LoggedStep::kNone);
  if (loss == -1) return;
  const auto number = static_cast<double>(step.number);
  while (!losses.empty() && losses.back().step >= number && !std::isnan(losses.back().loss)) {
    losses.pop_back();  // Of another rank, or before a restart.
  }
  add_loss({.step = number, .loss = loss}, losses);
}

/// Whether the line of a step ends as TorchTitan ends it: with the share of the peak.
bool ends_with_share(std::string_view line) {
  constexpr std::size_t kLongest = 24;
  line = trimmed(line);
  if (!line.ends_with('%') && !line.ends_with("N/A")) return false;
  return holds(line.substr(line.size() - std::min(line.size(), kLongest)), "mfu: ");
}

/// Whether a line of TorchTitan tells something that is read, up to its end.
bool is_whole_line(std::string_view line) {
  line = trimmed(line);
  return (ends_with_share(line) && torchtitan_step(line)) ||
         (line.ends_with(')') && holds(line, " batch size ")) ||
         (line.ends_with(']') && holds(line, "device mesh with [") && holds(line, "], [")) ||
         holds(line, " total parameters") || line.ends_with(" Training completed");
}

/// Whether the message of a line is one of a step, however much of it there is.
bool begins_step_of_torchtitan(std::string_view line) {
  const std::string_view message = behind(line, " - INFO - ");
  const std::string_view text = trimmed(message.empty() ? line : message);
  return text.starts_with("step:") || text.starts_with("validate step:");
}

/// Whether a text has a label, and nothing behind it but some of those characters.
bool has_only(std::string_view text, std::string_view label, std::string_view characters) {
  const std::string_view rest = behind(text, label);
  return !rest.empty() && rest.find_first_not_of(characters) == std::string_view::npos;
}

/// Whether a line tells something up to its end, which only the line behind it shows: the sizes of
/// a mesh by their names, the first step, or a validation.
bool is_open_line(std::string_view line) {
  return has_only(line,
                  "device mesh with parallelism: ", "abcdefghijklmnopqrstuvwxyz_=0123456789, ") ||
         has_only(line, " Training starts at step ", "0123456789") ||
         (holds(line, "validate step: ") && torchtitan_step(line) && has_own_fields_only(line));
}

/// Whether a piece has the width of a terminal, which may remove two blanks at its end.
bool is_as_wide(std::size_t width, std::size_t as) {
  return std::max(width, as) - std::min(width, as) <= 2;
}

}  // namespace

std::optional<LoggedStep> torchtitan_step(std::string_view line) {
  const std::size_t at = line.find("step: ");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view text = line.substr(at + 6);
  const auto number = leading_number(text);
  const bool is_step = number && *number >= 0 && *number < 9e15 && *number == std::floor(*number);
  // Other programs log steps, losses and rates, too.
  const std::size_t loss_at = text.find("loss: ");
  if (!is_step || loss_at == std::string_view::npos ||
      holds(trimmed(text.substr(0, loss_at)), " ")) {
    return std::nullopt;
  }
  text.remove_prefix(loss_at + 6);
  const auto loss = leading_loss(text);
  text = behind(text, "memory: ");
  const std::size_t unit = text.find("GiB(");
  if (!loss || !parse_number(trimmed(text.substr(0, unit))) || unit == std::string_view::npos) {
    return std::nullopt;
  }
  const auto rate = rate_of(text);
  if (!rate) return std::nullopt;
  return LoggedStep{.number = static_cast<std::int64_t>(*number),
                    .tokens_per_s = *rate,
                    .tflops = amount_behind(text, "tflops: ").value_or(LoggedStep::kNone),
                    .loss = *loss};
}

bool begins_as_torchtitan(std::string_view line) {
  constexpr std::size_t kLongestPrefix = 128;
  line = line.substr(0, kLongestPrefix);
  return holds(line, "[titan] ") || holds(line, " - root - ") ||
         trimmed(line).starts_with("step: ");
}

/// Keeps a line whose end may stand in the next one, because a terminal wrapped it.
bool TrainerLog::hold_titan(std::string_view line, bool cut) {
  if (cut || !begins_as_torchtitan(line) || ends_with_share(line) || is_whole_line(line)) {
    return false;
  }
  titan_ = {{std::string(line), number_, line.size()}};
  return true;
}

/// Whether a line may be the next piece of a wrapped one. Of several pieces all but the last are as
/// wide as the terminal, so that lines of other programs in between show.
bool TrainerLog::may_go_on_with_titan(std::string_view line) const {
  constexpr std::size_t kMostPieces = 16;
  const auto& [first, number, width] = titan_.front();
  // A narrow terminal wraps within the prefix of the logger.
  const bool is_in_prefix =
      titan_.size() == 1 && !holds(first, " - root - ") && !holds(line, "[titan] ");
  const bool goes_on =
      (is_in_prefix && holds(line, " - root - ")) ||
      (trimmed(titan_.back().text).ends_with("validate") && trimmed(line).starts_with("step: "));
  if (begins_as_torchtitan(line) && !goes_on) return false;
  return titan_.size() == 1 ||
         (titan_.size() < kMostPieces && is_as_wide(titan_.back().width, width) &&
          (line.size() < width || is_as_wide(line.size(), width)));
}

/// The first pieces of a wrapped line in one.
std::string TrainerLog::joined_titan(std::size_t pieces) const {
  std::string joined;
  for (std::size_t i = 0; i < pieces; ++i) joined += titan_[i].text;
  return joined;
}

/// Takes a line that may go on with one of TorchTitan.
bool TrainerLog::continue_titan(std::string_view line, bool cut) {
  if (!may_go_on_with_titan(line)) {
    release_titan();
    return false;
  }
  std::string_view piece = line;
  take_text(piece, rank_prefix(titan_.front().text));
  titan_.push_back({std::string(piece), number_, line.size()});
  const std::string joined = joined_titan(titan_.size());
  if (!is_whole_line(joined) || (ends_with_share(joined) && !has_own_fields_only(joined))) {
    if (!cut) return true;
    titan_.pop_back();
    release_titan();
    return false;
  }
  const std::uint64_t number = std::exchange(number_, titan_.front().number);
  titan_.clear();
  take_other(joined, false);
  number_ = number;
  return true;
}

/// Takes the lines that waited, each on its own except for those of an open line.
void TrainerLog::release_titan() {
  if (titan_.empty()) return;
  std::size_t taken = titan_.size();
  while (taken > 1 && !is_open_line(joined_titan(taken))) --taken;
  const std::string message = joined_titan(taken);
  const std::vector<HeldLine> lines = std::exchange(titan_, {});
  const std::uint64_t number = std::exchange(number_, lines.front().number);
  take_other(message, false);
  for (std::size_t i = taken; i < lines.size(); ++i) {
    number_ = lines[i].number;
    take_plain(lines[i].text, false);
  }
  close_step();
  number_ = number;
}

/// Takes the line of a step, or of a validation: "validate step: 10  loss: 2.3  ...".
bool TrainerLog::take_titan_step(std::string_view line, bool cut) {
  auto step = torchtitan_step(line);
  const bool is_validation = holds(line, "validate step: ");
  // The share of the peak comes last, unless a program is changed, and a validation has none.
  const bool is_whole = ends_with_share(line);
  const bool is_torn = is_validation ? cut : !is_whole && (cut || titan_tells_share_);
  const bool may_be_one =
      !step && !runs_.empty() && runs_.back().by_torchtitan && begins_step_of_torchtitan(line);
  if ((is_torn && step) || may_be_one) {
    note(cut ? TraceOddity::kCutLine : TraceOddity::kForeignLine, line);
    return true;
  }
  if (!step) return false;
  titan_tells_share_ |= is_whole;
  TrainerRun& of = run();
  of.by_torchtitan = true;
  if (is_validation) {
    add_loss({.step = static_cast<double>(step->number), .validation_loss = step->loss}, of.losses);
    return true;
  }
  step->line = number_;
  const auto batch = of.said.get(Stated::kGlobalBatch);
  const auto sequence = of.said.get(Stated::kSequence);
  const auto gpus = of.said.get(Stated::kGpus);
  if (batch && sequence) {
    step->consumed_tokens = static_cast<double>(step->number) * *batch * *sequence;
    if (gpus) step->seconds = *batch * *sequence / (*gpus * step->tokens_per_s);
  }
  if (!(step->seconds > 0) || std::isinf(step->seconds)) step->seconds = LoggedStep::kNone;
  if (of.said.get(Stated::kPipelineParallel).value_or(1) > 1)
    take_loss_of_pipeline(*step, of.losses);
  if (!of.iterations.add(*step, notes_)) return true;
  if (batch && sequence) of.said.set(Stated::kTokens, step->consumed_tokens);
  if (static_cast<double>(step->number) >= of.said.get(Stated::kLastStep).value_or(kInfinity)) {
    of.ended = true;
  }
  return true;
}

/// Takes what TorchTitan says of its settings, and of begin and end.
bool TrainerLog::take_titan_statement(std::string_view line) {
  if (const auto text = behind(line, "device mesh with "); !text.empty()) {
    begin_program();
    take_mesh(text, next_.said);
    return true;
  }
  if (const auto size = behind(line, " size: "); holds(size, " total parameters")) {
    next_.said.add(Stated::kParameters, count_behind(line, " size: "));
    return true;
  }
  if (holds(line, "Training completed") && !runs_.empty() && runs_.back().by_torchtitan) {
    runs_.back().end_ns = stamp_of(line);
    runs_.back().ended = true;
    return true;
  }
  const auto first = number_behind(line, "Training starts at step ");
  if (first || holds(line, "local batch size ")) {
    if (first) next_.begin_ns = stamp_of(line);
    if (first && *first > 1) next_.resumed = true;
    next_.said.add(Stated::kMicroBatch, number_behind(line, "local batch size "));
    next_.said.add(Stated::kGlobalBatch, number_behind(line, "global batch size "));
    next_.said.add(Stated::kAccumulation, number_behind(line, "gradient accumulation steps "));
    next_.said.add(Stated::kSequence, number_behind(line, "sequence length "));
    next_.said.add(Stated::kLastStep, number_behind(line, "total steps "));
    return true;
  }
  return false;
}

}  // namespace scalelaw
