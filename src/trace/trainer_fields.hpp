#pragma once

#include <string_view>

#include "trace/trainer_run.hpp"

namespace scalelaw {

/// A step, and what its line says beside its time.
struct StepLine {
  LoggedStep step;
  double last_step = LoggedStep::kNone;  ///< At which training is to end.
  double validation_loss = LoggedStep::kNone;
  double sequence = LoggedStep::kNone;
  double epoch_step = LoggedStep::kNone;  ///< NeMo's global step, from 0.
  bool by_neox = false;                   ///< It begins as only GPT-NeoX writes it.
};

/// What a field of a step's line goes to; nullptr for the others.
struct StepField {
  std::string_view name;
  double StepLine::*of_line;
  double LoggedStep::*of_step;
  bool is_thousandth = false;  ///< Milliseconds, of a quantity in seconds.
  bool is_flops = false;       ///< With a unit at the number: "112.9TFLOPS".
};

/// The field of a name in lines of Megatron-LM, Megatron-DeepSpeed and NeMo; nullptr if it is not
/// read.
const StepField* step_field_of(std::string_view name);

/// Sets a field that is not set yet. False if its text is no number.
bool set_field(const StepField& field, std::string_view text, StepLine& line);

/// The setting in a line that a program writes before its first step: an argument with dots
/// ("  seq_length ........ 1024"), or a line of a configuration ("  seq_length: 1024").
void take_setting(std::string_view line, Statements& said);

/// The sizes in "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4 ...".
void take_world(std::string_view line, Statements& said);

}  // namespace scalelaw
