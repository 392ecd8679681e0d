#include <iostream>
#include <scalelaw/scalelaw.hpp>

int main() {
  const auto runs = scalelaw::read_runs(std::vector<std::string>{"data/demo/runs.csv"}, {});
  for (const auto& [group, result] : scalelaw::fit_groups(runs)) {
    if (const auto* fit = std::get_if<scalelaw::Fit>(&result)) {
      std::cout << group[0] << ": " << fit->parameters[1].estimate << ", R2 " << *fit->r2 << '\n';
    }
  }
}
