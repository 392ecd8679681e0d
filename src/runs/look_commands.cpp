#include <fmt/format.h>

#include <algorithm>

#include "runs/look_parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// A call of scalelaw, word by word.
class Call {
 public:
  explicit Call(std::string_view command, const std::vector<std::string>& inputs)
      : text_(fmt::format("scalelaw {}", command)) {
    for (const std::string& input : inputs) {
      const bool like_option = input.starts_with('-') && input != "-";
      add(like_option ? "./" + input : input);
    }
  }
  Call& add(const std::string& word) {
    text_ += " " + shell_word(word);
    return *this;
  }
  Call& option(std::string_view name, const std::string& value) {
    text_ += fmt::format(" {}", name);
    return add(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_rows(Call& call, const LookState& state, const TableLook& look) {
  for (const std::string& condition : state.options.where) call.option("--where", condition);
  for (const std::string& condition : state.where) call.option("--where", condition);
  if (!look.run.empty()) call.option("--run", look.run);
  if (state.skips_bad_rows) call.add("--skip-bad-rows");
}

Call study_call(std::string_view command, const LookState& state, const TableLook& look,
                const std::vector<std::string>& by) {
  Call call(command, look.inputs);
  call.option("-x", look.x).option("-y", look.y);
  call.option("-b", joined(by, ","));
  if (look.response == "rate") call.add("--rate");
  add_rows(call, state, look);
  return call;
}

NextCommand loss_command(const LookState& state, const TableLook& look) {
  Call call("fit", look.inputs);
  call.option("--law", "chinchilla");
  const ColumnProfile* const second = state.profile.column(look.scales[1]);
  const bool compute = second != nullptr && second->meaning.role == ColumnRole::kCompute;
  call.option("-x", compute ? look.scales[0] : joined(look.scales, ","));
  if (compute) call.option("--flops", look.scales[1]);
  call.option("-y", look.y).option("-b", joined(look.by, ","));
  add_rows(call, state, look);
  return {call.text(), "The loss over both scales, and how compute is best split between them."};
}

/// What a setting does where no column is a scale.
std::vector<NextCommand> caps_alone(const LookState& state, const TableLook& look) {
  Call call("caps", look.inputs);
  call.option("--setting", look.settings.front()).option("-y", look.y);
  if (look.energy.empty()) {
    call.option("--power", look.power);
  } else {
    call.option("--energy", look.energy);
  }
  call.option("-b", joined(look.by, ","));
  add_rows(call, state, look);
  return {{call.text(), "What a lower setting saves in energy and costs in time."}};
}

std::vector<std::string> without(std::vector<std::string> names, const std::string& name) {
  std::erase(names, name);
  return names;
}

}  // namespace

std::vector<NextCommand> next_commands(const LookState& state, const TableLook& look) {
  if (look.y.empty()) return {};
  if (!look.scales.empty()) return {loss_command(state, look)};
  if (look.x.empty())
    return look.settings.empty() ? std::vector<NextCommand>{} : caps_alone(state, look);
  std::vector<NextCommand> next{{study_call("fit", state, look, look.by).text(),
                                 "One scaling law per group: how much faster each doubling is."}};
  next.push_back({study_call("rank", state, look, look.by).text(),
                  "Which law describes each group, and how surely."});
  if (!look.settings.empty() && !look.energy.empty() && look.response == "time") {
    const std::string& setting = look.settings.front();
    Call call("caps", look.inputs);
    call.option("--setting", setting).option("-x", look.x).option("-y", look.y);
    call.option("--energy", look.energy).option("-b", joined(without(look.by, setting), ","));
    add_rows(call, state, look);
    next.push_back({call.text(), "What a lower setting saves in energy and costs in time."});
  } else if (!look.energy.empty() && look.response == "time") {
    Call call("energy", look.inputs);
    call.option("-x", look.x).option("-y", look.y).option("--energy", look.energy);
    call.option("-b", joined(look.by, ","));
    add_rows(call, state, look);
    next.push_back({call.text(), "What scaling costs in energy."});
  } else {
    const ColumnProfile* const x = state.profile.column(look.x);
    Call call = study_call("predict", state, look, look.by);
    if (x != nullptr && x->numbers > 0 && x->max > 0)
      call.option("--at", fmt::format("{:g}", 2 * x->max));
    next.push_back({call.text(), "A forecast at twice the greatest scale that was measured."});
  }
  return next;
}

}  // namespace scalelaw
