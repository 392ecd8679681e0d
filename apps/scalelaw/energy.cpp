#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "measure_options.hpp"
#include "scalelaw/energy/energy_scaling.hpp"
#include "scalelaw/render/energy_report.hpp"

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

struct EnergyCommand {
  StudyOptions study;
  MeasureOptions measures;
  FootprintOptions footprint;
  std::string gpu_price;  ///< With or without a currency.
  EnergyOptions energy;   ///< As far as the user gave them otherwise.
  WorkloadColumns workload;
  ResultOptions result;
};

int run_energy(const EnergyCommand& options, const GlobalOptions& global) {
  EnergyOptions energy = options.energy;
  energy.confidence = options.study.confidence;
  energy.footprint = footprint_of(options.footprint);
  energy.gpu_price = number_of_price(options.gpu_price);
  const Currency currency =
      currency_of({{"--gpu-price", options.gpu_price}, {"--price", options.footprint.price}});
  return deliver(options.result, global, [&](const Delivery& delivery) {
    MeasureOptions measures = measure_options(options.study, options.measures);
    measures.more = options.workload.numbers();
    const MeasuredRuns runs = read_measured(options.study, measures, global.conditions());
    EnergyReport report = measured_head<EnergyReport>(options.study, runs);
    report.batch = options.workload.batch;
    report.samples = options.workload.samples;
    if (!runs.columns.work.empty()) {
      report.samples = runs.work();
      delivery.console.warn(report.study.warnings.back());
    }
    if (energy.gpu_price) refuse_without_gpus(report.study.x, "--gpu-price");
    report.options = energy;
    report.currency = currency;
    const auto writer = make_energy_writer(report, delivery.style, delivery.sink);
    std::size_t lacking = 0;
    energy_each(runs, options.workload, energy, global.threads, [&](GroupEnergy&& group) {
      const EnergyScaling* const scaling = std::get_if<EnergyScaling>(&group.result);
      const bool has_exponents =
          scaling != nullptr && std::holds_alternative<EnergyExponents>(scaling->exponents);
      lacking += has_exponents ? 0 : 1;
      writer->write(group);
    });
    writer->finish();
    return groups_without("exponents", lacking, runs.observations.size());
  });
}

}  // namespace

Command add_energy_command(Program& program) {
  auto options = std::make_shared<EnergyCommand>();
  Options energy = program.add_command(
      "energy", "Tell how energy scales, what it costs, and which number of GPUs needs least",
      kEnergyExamples);
  add_input_option(energy, options->study);
  add_axis_options(energy, options->study);
  add_energy_columns(energy, options->measures);
  energy.text("--batch", options->workload.batch, "COL",
              "Column of the global batch size, to tell how the power per GPU depends on it");
  energy.text("--samples", options->workload.samples, "COL",
              "Column of the samples that a run or epoch trains on. If they vary with N (weak "
              "scaling), numbers are per sample");
  add_selection_options(energy, options->study);
  add_footprint_options(energy, options->footprint);
  energy.text("--gpu-price", options->gpu_price, "PRICE",
              "Price of one GPU for one hour, in the currency of --price", price_or_zero());
  add_confidence_option(energy, options->study);
  add_result_options(energy, options->result);
  energy.flag("--strict", options->result.strict, "Exit with status 1 if a group has no exponents");
  return command_of(energy, options, run_energy);
}

}  // namespace scalelaw::cli
