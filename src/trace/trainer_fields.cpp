#include "trace/trainer_fields.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"

namespace scalelaw {
namespace {

// Names in the order of how often lines have them. Sources: docs/reference/traces.md.
constexpr StepField kFields[] = {
    {"consumed samples", nullptr, &LoggedStep::consumed_samples},
    {"elapsed time per iteration (ms)", nullptr, &LoggedStep::seconds, true},
    {"throughput per GPU (TFLOP/s/GPU)", nullptr, &LoggedStep::tflops},
    {"global batch size", nullptr, &LoggedStep::samples},
    {"lm loss", nullptr, &LoggedStep::loss},
    {"energy per GPU (J/iter/GPU)", nullptr, &LoggedStep::energy_j},
    {"consumed tokens", nullptr, &LoggedStep::consumed_tokens},
    {"actual seqlen", &StepLine::sequence, nullptr},
    {"samples per second", nullptr, &LoggedStep::samples_per_s},
    {"tokens per gpu per second (tgs)", nullptr, &LoggedStep::tokens_per_s},
    {"TFLOPs", nullptr, &LoggedStep::tflops},
    {"lm-loss", nullptr, &LoggedStep::loss},
    {"lm_loss", nullptr, &LoggedStep::loss},
    {"loss", nullptr, &LoggedStep::loss},
    {"total loss", nullptr, &LoggedStep::loss},
    {"total_loss", nullptr, &LoggedStep::loss},
    {"flop throughput (TFLOP/sec/GPU)", nullptr, &LoggedStep::tflops},
    {"compute per GPU (TFLOP/s/GPU)", nullptr, &LoggedStep::tflops},
    {"tokens per GPU (tokens/s/GPU)", nullptr, &LoggedStep::tokens_per_s},
    {"Tokens per second per GPU (Tok/s/GPU)", nullptr, &LoggedStep::tokens_per_s},
    {"train_step_timing in s", nullptr, &LoggedStep::seconds},
    {"global_batch_size", nullptr, &LoggedStep::samples},
    {"global_step", &StepLine::epoch_step, nullptr},
    {"reduced_train_loss", nullptr, &LoggedStep::loss},
    {"consumed_samples", nullptr, &LoggedStep::consumed_samples},
    {"TFLOPS_per_GPU", nullptr, &LoggedStep::tflops},
    {"tokens_per_sec_per_gpu", nullptr, &LoggedStep::tokens_per_s},
    {"val_loss", &StepLine::validation_loss, nullptr},
    {"elapsed_time_per_iteration_ms", nullptr, &LoggedStep::seconds, true},
    {"consumed_tokens", nullptr, &LoggedStep::consumed_tokens},
    {"actual_seqlen", &StepLine::sequence, nullptr},
    {"samples_per_second", nullptr, &LoggedStep::samples_per_s},
    {"tokens_per_gpu_per_second_tgs", nullptr, &LoggedStep::tokens_per_s},
    {"elapsed time per iteration (s)", nullptr, &LoggedStep::seconds},  // BigScience's fork.
    {"approx flops per GPU", nullptr, &LoggedStep::tflops, false, true},
};

/// The names of a setting in arguments and configurations.
struct SettingName {
  std::string_view name;
  Stated what;
};

constexpr SettingName kSettings[] = {
    {"world_size", Stated::kGpus},
    {"global_num_gpus", Stated::kGpus},  // GPT-NeoX.
    {"pipe_parallel_size", Stated::kPipelineParallel},
    {"data_parallel_size", Stated::kDataParallel},
    {"tensor_model_parallel_size", Stated::kTensorParallel},
    {"model_parallel_size", Stated::kTensorParallel},
    {"pipeline_model_parallel_size", Stated::kPipelineParallel},
    {"context_parallel_size", Stated::kContextParallel},
    {"expert_model_parallel_size", Stated::kExpertParallel},
    {"micro_batch_size", Stated::kMicroBatch},
    {"batch_size", Stated::kMicroBatch},
    {"train_micro_batch_size_per_gpu", Stated::kMicroBatch},
    {"global_batch_size", Stated::kGlobalBatch},
    {"train_batch_size", Stated::kGlobalBatch},
    {"gradient_accumulation_steps", Stated::kAccumulation},
    {"seq_length", Stated::kSequence},
    {"num_layers", Stated::kLayers},
    {"hidden_size", Stated::kHidden},
    {"train_iters", Stated::kLastStep},
};

/// Settings of NeMo's configuration, whose other names return in other lists.
constexpr SettingName kConfigured[] = {
    {"num_nodes", Stated::kNodes},
    {"devices", Stated::kGpusPerNode},
    {"tensor_model_parallel_size", Stated::kTensorParallel},
    {"pipeline_model_parallel_size", Stated::kPipelineParallel},
    {"context_parallel_size", Stated::kContextParallel},
    {"micro_batch_size", Stated::kMicroBatch},
    {"global_batch_size", Stated::kGlobalBatch},
    {"encoder_seq_length", Stated::kSequence},
    {"seq_length", Stated::kSequence},
};

/// Settings of DeepSpeed's configuration, which it prints as JSON, too.
constexpr SettingName kEngine[] = {
    {"train_batch_size", Stated::kGlobalBatch},
    {"train_micro_batch_size_per_gpu", Stated::kMicroBatch},
    {"gradient_accumulation_steps", Stated::kAccumulation},
};

constexpr SettingName kSizes[] = {
    {"world size", Stated::kGpus},
    {"data parallel size", Stated::kDataParallel},
    {"tensor model parallel size", Stated::kTensorParallel},
    {"model parallel size", Stated::kTensorParallel},
    {"pipeline model parallel size", Stated::kPipelineParallel},
    {"context parallel size", Stated::kContextParallel},
};

template <class Names>
std::optional<Stated> setting_of(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &SettingName::name);
  return found == std::end(names) ? std::nullopt : std::optional(found->what);
}

/// A number above 0: sizes are, and -1 or 0 stand for "not used".
std::optional<double> size_in(std::string_view text) {
  const auto number = leading_number(text);
  return number && *number > 0 ? number : std::nullopt;
}

/// A thousandth of the number at the begin of a text. It is exact, because only the point moves.
std::optional<double> thousandth(std::string_view text) {
  constexpr std::string_view kMove = "e-3";
  std::array<char, 32> moved;
  text = trimmed(text);
  text = text.substr(0, text.find(' '));
  if (holds(text, 'e') || text.size() + kMove.size() > moved.size()) {
    const auto number = leading_number(text);
    return number ? std::optional(*number / 1000) : std::nullopt;
  }
  const auto* const end =
      std::copy(kMove.begin(), kMove.end(), std::copy(text.begin(), text.end(), moved.begin()));
  return parse_number({moved.data(), static_cast<std::size_t>(end - moved.data())});
}

/// TFLOP/s of "112.9TFLOPS", as GPT-NeoX writes them (human_readable_flops in megatron/logging.py).
std::optional<double> teraflops(std::string_view text) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr Unit kUnitNames[] = {{"KFLOPS", 1e-9}, {"MFLOPS", 1e-6}, {"GFLOPS", 1e-3},
                                        {"TFLOPS", 1},    {"PFLOPS", 1e3},  {"EFLOPS", 1e6},
                                        {"ZFLOPS", 1e9},  {"FLOPS", 1e-12}};
  text = trimmed(text);
  for (const auto& [name, factor] : kUnitNames) {
    if (!text.ends_with(name)) continue;
    const auto number = parse_number(trimmed(text.substr(0, text.size() - name.size())));
    return number ? std::optional(*number * factor) : std::nullopt;
  }
  return std::nullopt;
}

/// A line of JSON with one member: "    "train_batch_size": 256, ".
void take_json_setting(std::string_view line, Statements& said) {
  line = trimmed(line);
  if (!line.starts_with('"')) return;
  const std::size_t end = line.find("\":", 1);
  if (end == std::string_view::npos) return;
  if (const auto what = setting_of(kEngine, line.substr(1, end - 1))) {
    said.add(*what, size_in(line.substr(end + 2)));
  }
}

std::string_view last_word(std::string_view text) {
  text = trimmed(text);
  const std::size_t blank = text.find_last_of(" \t:]");
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

}  // namespace

const StepField* step_field_of(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFields), std::end(kFields),
                   [&](const StepField& field) { return field.name == name; });
  return found == std::end(kFields) ? nullptr : found;
}

bool set_field(const StepField& field, std::string_view text, StepLine& line) {
  double& value = field.of_line != nullptr ? line.*field.of_line : line.step.*field.of_step;
  if (!std::isnan(value)) return true;
  const bool is_loss =
      field.of_step == &LoggedStep::loss || field.of_line == &StepLine::validation_loss;
  auto number = field.is_thousandth ? thousandth(text) : std::nullopt;
  if (is_loss) {
    number = leading_loss(text);
  } else if (!field.is_thousandth) {
    number = field.is_flops ? teraflops(text) : leading_number(text);
  }
  if (!number) {
    if (is_missing(trimmed(text)) || is_infinite(trimmed(text))) return true;
    // AMD's Megatron writes "500.1/510.2": of the line, and the mean.
    const std::size_t slash = text.find('/');
    return slash != std::string_view::npos && set_field(field, text.substr(0, slash), line);
  }
  value = *number;
  return true;
}

void take_setting(std::string_view line, Statements& said) {
  const std::size_t dots = line.find(" ..");
  const std::size_t behind = line.find_first_not_of(".", dots + 1);
  if (dots != std::string_view::npos && behind != std::string_view::npos) {
    // DeepSpeed's configuration calls the number of data-parallel ranks the world size.
    const bool is_engine = line.find("[config.py") < dots;
    const std::string_view name = last_word(line.substr(0, dots));
    auto what = setting_of(kSettings, name);
    if (is_engine && what == Stated::kGpus) what = Stated::kDataParallel;
    if (is_engine && name == "batch_size") what.reset();
    // GPT-NeoX puts dots behind the value, too: "2048.......updated".
    const std::string_view value = line.substr(behind);
    if (what) said.add(*what, size_in(value.substr(0, value.find(".."))));
    return;
  }
  constexpr std::string_view kLongName = "train_micro_batch_size_per_gpu  ";
  if (const std::size_t at = line.find(kLongName); at != std::string_view::npos) {
    said.add(Stated::kMicroBatch, size_in(line.substr(at + kLongName.size())));
  }
  take_json_setting(line, said);
  const std::size_t colon = line.find(':');
  const std::string_view name = trimmed(line.substr(0, colon));
  const auto what = setting_of(kConfigured, name);
  if (what && colon != std::string_view::npos && is_digits(trimmed(line.substr(colon + 1)))) {
    said.add(*what, size_in(line.substr(colon + 1)));
  }
}

void take_world(std::string_view line, Statements& said) {
  constexpr std::string_view kUsing = "using ";
  line.remove_prefix(std::min(line.find(kUsing) + kUsing.size(), line.size()));
  while (!line.empty()) {
    const std::size_t end = std::min({line.find(','), line.find(" and "), line.size()});
    const std::string_view part = line.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(", ", end), line.size()));
    if (line.starts_with("and ")) line.remove_prefix(4);
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) continue;
    std::string name(trimmed(part.substr(0, colon)));
    std::ranges::replace(name, '-', ' ');
    // Versions of 2023 and 2024 lack a comma: "context-parallel size: 1 tensor-model-...",
    // "hierarchical context-parallel sizes: Nonetensor-model-...".
    for (const std::string_view glued :
         {" tensor-model-parallel size:", "Nonetensor-model-parallel size:"}) {
      if (const std::size_t at = part.find(glued); at != std::string_view::npos) {
        said.set(Stated::kTensorParallel, size_in(part.substr(at + glued.size())));
      }
    }
    if (const auto what = setting_of(kSizes, name))
      said.set(*what, size_in(part.substr(colon + 1)));
  }
}

}  // namespace scalelaw
