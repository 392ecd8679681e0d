#include <memory>

#include "delivery.hpp"
#include "scalelaw/study/energy_studies.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kEnergyExamples =
    R"(  scalelaw energy data/demo/runs.csv -b model --where power_cap_w=250 --where clock_mhz=1380
      How energy and speed change from 2 GPUs on, the power per GPU, and where energy is least.
  scalelaw energy data/demo/runs.csv --carbon-intensity FR --price 0.2 --pue 1.3 --format csv
      CO2 and cost of each group at each number of GPUs.
  scalelaw energy data/demo/runs.csv --gpu-price 2.5 --price 0.2 --where model=BERT
      Which number of GPUs is cheapest if a GPU-hour costs 2.5.
  printf 'gpus,seconds,joules,images\n1,99,3e4,5e4\n2,101,6.2e4,1e5\n8,118,2.8e5,4e5\n' | scalelaw energy - --samples images
      Weak scaling: speedup, efficiency and energy per sample.
)";

struct EnergyCall {
  EnergyRequest request;
  ResultOptions result;
};

int run_energy(const EnergyCall& call, const GlobalOptions& global) {
  return deliver(call.result, global, [&](const Delivery& delivery) {
    const auto [report, runs] = read_energies(call.request, global.conditions());
    const auto writer = make_energy_writer(report, delivery.style, delivery.sink);
    std::size_t lacking = 0;
    const auto write = [&](GroupEnergy&& group) {
      const EnergyScaling* const scaling = std::get_if<EnergyScaling>(&group.result);
      const bool has_exponents =
          scaling != nullptr && std::holds_alternative<EnergyExponents>(scaling->exponents);
      lacking += has_exponents ? 0 : 1;
      writer->write(group);
    };
    energy_each(runs, call.request.workload, report.options, global.threads, write);
    writer->finish();
    Lacks lacks = groups_without("exponents", lacking, runs.observations.size());
    lacks.all = false;  // Their energies are told all the same.
    return lacks;
  });
}

}  // namespace

Command add_energy_command(Program& program) {
  auto call = std::make_shared<EnergyCall>();
  EnergyRequest& request = call->request;
  Options energy = program.add_command(
      "energy", "Tell how energy scales, what it costs, and which number of GPUs needs least",
      kEnergyExamples);
  add_input_option(energy, request.study);
  add_axis_options(energy, request.study);
  add_energy_columns(energy, request.measures);
  energy.text("--batch", request.workload.batch, "COL",
              "Column of the global batch size, to tell how the power per GPU depends on it");
  energy.text("--samples", request.workload.samples, "COL",
              "Column of the samples that a run or epoch trains on. If they vary with N (weak "
              "scaling), numbers are per sample");
  add_selection_options(energy, request.study);
  add_footprint_options(energy, request.footprint);
  energy.parsed("--gpu-price", request.gpu_price, price_or_zero_of, "PRICE",
                "Price of one GPU for one hour, in the currency of --price");
  add_confidence_option(energy, request.study);
  add_result_options(energy, call->result, "Exit with status 1 if a group has no exponents");
  return command_of(energy, call, run_energy);
}

}  // namespace scalelaw::cli
