#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/trainer_fields.hpp"
#include "trace/trainer_run.hpp"

namespace scalelaw {

/// The step in "... iteration  N/ M |", and where its fields begin.
struct StepHead {
  std::int64_t number = 0;
  double last = LoggedStep::kNone;
  bool counts_from_0 = false;  ///< NeMo: "Training epoch 0, iteration 17/99 |".
  double epoch = 0;            ///< Of NeMo.
  std::size_t fields = 0;
};

/// The step of a line of Megatron-LM that says all of it, from its head to the bar behind its last
/// field, as nearly every line does. Empty for lines of which their neighbours have to be known, or
/// of which there is something to note. TrainerLog would understand the line in the same way.
std::optional<StepLine> whole_step(std::string_view line);

/// "iter 10: loss 3.2087, time 135.24ms, mfu 12.31%" of nanoGPT (train.py of karpathy/nanoGPT).
std::optional<LoggedStep> nanogpt_step(std::string_view line);

/// "step: 10  loss:  7.8712  ...  tps: 6,018  ..." of TorchTitan.
std::optional<LoggedStep> torchtitan_step(std::string_view line);

/// Whether a line is the begin of one of TorchTitan, as far as its prefix tells.
bool begins_as_torchtitan(std::string_view line);

/// What the standard output of a trainer says, line by line: Megatron-LM, Megatron-DeepSpeed, NeMo,
/// DeepSpeed, the Trainer of Hugging Face, which often write into one log, nanoGPT and TorchTitan.
/// Lines of other programs are passed over. Prefixes of ranks, time stamps and colours do not
/// matter.
class TrainerLog {
 public:
  explicit TrainerLog(TraceNotes& notes) : notes_(notes) {}

  /// Takes a line; also several ones between carriage returns, as progress bars write them.
  /// @param cut  The line has no end, so that its last field may be incomplete.
  void take(std::string_view line, std::uint64_t number, bool cut);
  /// Takes a line of which whole_step() is known; nullptr if that is empty.
  void take(std::string_view line, const StepLine* whole, std::uint64_t number, bool cut);
  /// The runs in their order. A program that is started again goes on with its run, unless the run
  /// had ended or the settings differ.
  std::vector<TrainerRun> finish();

 private:
  struct HeldLine {
    std::string text;  ///< Without the prefix that a launcher put before the line that it goes on.
    std::uint64_t number;
    std::size_t width;  ///< With that prefix.
  };

  void take_plain(std::string_view line, bool cut);
  bool take_step(std::string_view line, bool cut);
  bool continue_step(std::string_view line, bool cut);
  bool continue_behind_prefix(std::string_view line, bool cut);
  void begin_step(const StepHead& head);
  void hold_step(const StepLine& step, bool is_nemo);
  void take_field(std::string_view field);
  void close_step();
  void close_rest();
  void take_fields(std::string_view fields, bool cut);
  void take_other(std::string_view line, bool cut);
  bool take_statement(std::string_view line);
  bool take_named_size(std::string_view line);
  bool take_start(std::string_view line);
  void take_error(std::string_view line);
  bool take_time(std::string_view line);
  bool take_sizes(std::string_view line);
  bool take_loss(std::string_view line);
  bool take_shard(std::string_view line);
  bool take_validation(std::string_view line);
  bool take_bar(std::string_view line);
  bool take_iteration(std::string_view line);
  bool take_evaluation(std::string_view line);
  bool take_model_size(std::string_view line);
  bool hold_titan(std::string_view line, bool cut);
  bool continue_titan(std::string_view line, bool cut);
  bool may_go_on_with_titan(std::string_view line) const;
  std::string joined_titan(std::size_t pieces) const;
  void release_titan();
  bool take_titan_step(std::string_view line, bool cut);
  bool take_titan_statement(std::string_view line);
  bool take_engine_step(std::string_view line, bool cut);
  bool take_engine_rate(std::string_view line, bool cut);
  bool take_stamp(std::string_view line);
  bool take_hub_setting(std::string_view line);
  bool take_summary_line(std::string_view line);
  bool take_dictionary(std::string_view dictionary, bool cut);
  bool continue_dictionary(std::string_view line, bool cut);
  void drop_dictionary(TraceOddity oddity);
  void drop_losses_done_again(double epoch, bool is_restart, std::vector<LoggedLoss>& losses);

  /// The run that a line on its progress is of.
  TrainerRun& run();
  void begin_program() { started_ = true; }
  void begin_training_at(double step);
  /// Lines that each start of a program writes before its first step.
  enum class Start { kWorld, kTraining, kTokens };
  void begin_try(Start start);
  void join_tries();
  void note(TraceOddity oddity, std::string_view what) {
    notes_.note(oddity, number_, what.substr(0, 80));
  }

  TraceNotes& notes_;
  std::vector<TrainerRun> runs_;
  TrainerRun next_;               ///< What was said since the last step.
  bool started_ = false;          ///< A program was started since.
  bool is_anew_ = false;          ///< It trains from its first step, as the run before did.
  unsigned tries_ = 0;            ///< The lines of Start that came since the last step.
  TrainerRun tried_;              ///< What was said before one of these came again.
  std::uint64_t tried_line_ = 0;  ///< Where it came again; 0 if none did.
  bool has_next_ = false;         ///< Other lines came since, so that `next_` may hold something.
  std::uint64_t number_ = 0;
  bool is_harmless_ = false;    ///< The line before says that the next error ends nothing.
  bool in_summary_ = false;     ///< Lines of "***** train metrics *****" may follow.
  bool is_nemo_ = false;        ///< The last step's line is one of NeMo.
  bool has_step_ = false;       ///< `step_` waits for the rest of a wrapped line.
  bool is_cut_ = false;         ///< The file ends in its line.
  std::string rest_;            ///< The end of its line, if no bar follows it.
  bool ends_with_bar_ = false;  ///< Lines of steps end with a bar, so that others are torn.
  std::string prefix_;          ///< What a launcher put before its line; empty if that says all.
  StepLine step_;
  /// A dictionary that waits for its end in the next lines; empty if there is none.
  std::string dictionary_;
  std::uint64_t dictionary_line_ = 0;
  std::string dictionary_prefix_;  ///< What a launcher put before it.
  /// A line of TorchTitan that may go on in the next ones, and those of them that came; empty if
  /// there is none.
  std::vector<HeldLine> titan_;
  bool titan_tells_share_ = false;  ///< Lines of its steps end with the share of the peak.
  std::string plain_;               ///< A line without colours.
  std::string unwrapped_;           ///< The line in one of Docker's.
};

/// What begins with a brace and a quote, as dictionaries of Python and JSON do; empty without one.
inline std::string_view dictionary_in(std::string_view line) {
  for (std::size_t at = line.find('{'); at != std::string_view::npos; at = line.find('{', at + 1)) {
    const std::string_view rest = line.substr(at);
    if (rest.starts_with("{'") || rest.starts_with("{\"")) return rest;
  }
  return {};
}

/// The text behind a label; empty without it.
inline std::string_view behind(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + label.size());
}

/// The number behind a label; empty without it.
inline std::optional<double> number_behind(std::string_view line, std::string_view label) {
  return leading_number(behind(line, label));
}

/// The loss behind a label; empty without it. See leading_loss().
inline std::optional<double> loss_behind(std::string_view line, std::string_view label) {
  return leading_loss(behind(line, label));
}

/// A count with commas between thousands: "1,310,720".
inline std::optional<double> count_behind(std::string_view line, std::string_view label) {
  std::string digits;
  for (const char c : trimmed(behind(line, label))) {
    if (c != ',' && (c < '0' || c > '9')) break;
    if (c != ',') digits += c;
  }
  return parse_number(digits);
}

/// What a launcher puts before the lines of a rank, without a blank behind it: "3:", "[default7]:".
inline std::string_view rank_prefix(std::string_view line) {
  constexpr std::size_t kLongest = 32;
  const std::size_t colon = line.substr(0, kLongest).find(':');
  return colon == std::string_view::npos ? std::string_view() : line.substr(0, colon + 1);
}

}  // namespace scalelaw
