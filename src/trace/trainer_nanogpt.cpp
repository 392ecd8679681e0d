#include <optional>
#include <string>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/trainer_log.hpp"
#include "trace/trainer_text.hpp"

// The lines of nanoGPT (train.py and model.py of karpathy/nanoGPT) and of programs made after it.
// The first iteration has number 0, so that "iter 10" tells the loss after 10 steps.

namespace scalelaw {
namespace {

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
