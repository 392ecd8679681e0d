#include "scalelaw/render/energy_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/hand_made_fit.hpp"
#include "support/json.hpp"

namespace scalelaw {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

EnergyReport hand_made_energy_report() {
  EnergyReport report;
  report.study.inputs = {"runs.csv"};
  report.study.x = "gpus";
  report.study.y = "seconds";
  report.study.by = {"model"};
  report.energy = "energy_j";
  report.power = "power_mean_w";
  report.options.footprint.carbon_intensity = 56;
  return report;
}

/// A line of energy over GPU-hours.
Fit line(double intercept, Interval ci) {
  Fit fit = hand_made_fit();
  fit.parameters[0].estimate = intercept;
  fit.parameters[0].ci = ci;
  fit.parameters[1].estimate = 250;
  fit.parameters[1].ci = Interval{240, 260};
  fit.r2 = 0.99;
  return fit;
}

EnergyScaling hand_made_scaling() {
  EnergyScaling scaling;
  scaling.n = 6;
  scaling.x_min = 2;
  scaling.x_max = 8;
  scaling.power = PowerSource::kOwnColumn;
  Fit energy = hand_made_fit();
  energy.response = Response::kRate;
  energy.parameters.back().estimate = 0.25;
  energy.warnings = {WarningCode::kCurved, WarningCode::kOverpredictsSpeedup};
  EnergyExponents exponents{.time = hand_made_fit(), .power = energy, .energy = energy, .edp = {}};
  exponents.edp.estimate = -0.6;
  scaling.exponents = exponents;
  Estimate residual;
  residual.estimate = 0.1;
  residual.se = 0.01;
  residual.ci = Interval{0.08, 0.12};
  residual.p = 1e-6;
  scaling.identity = {.verdict = IdentityVerdict::kDisagrees,
                      .n = 6,
                      .residual = residual,
                      .level = Ratio{1.5, Interval{1.25, 1.75}},
                      .reason = {}};
  Fit origin = line(0, {0, 0});
  origin.parameters.erase(origin.parameters.begin());
  scaling.gpu_hours = {.origin = origin,
                       .intercept = line(1500, {1000, 2000}),
                       .origin_least = origin,
                       .intercept_least = line(1400, {900, 1900}),
                       .origin_least_r2_mean = 0.95};
  scaling.drivers = {{.name = "scale", .n = 6, .slope = residual, .r2 = 0.5, .reason = {}}};
  EnergyAtScale first{.x = 2,
                      .n = 3,
                      .seconds = 100,
                      .joules = 3.6e6,
                      .watts_per_gpu = 300,
                      .kwh = 1,
                      .gpu_hours = 0.5,
                      .co2_kg = 0.056,
                      .efficiency = Ratio{}};
  EnergyAtScale last{.x = 8,
                     .n = 3,
                     .seconds = 30,
                     .joules = 5.4e6,
                     .watts_per_gpu = 290,
                     .kwh = 1.5,
                     .gpu_hours = 0.7,
                     .co2_kg = 0.084};
  last.speedup = {3.333, Interval{3.25, 3.5}};
  last.efficiency = Ratio{0.8333, Interval{0.8, 0.875}};
  last.energy = {1.5, Interval{1.25, 1.75}};
  scaling.scales = {first, last};
  Least inside{.objective = Objective::kEnergyDelay,
               .x = 5,
               .place = LeastPlace::kInside,
               .ci = Interval{4, 7},
               .against_smallest = 0.5};
  Least end{.objective = Objective::kEnergy,
            .x = 2,
            .place = LeastPlace::kSmallest,
            .ci = Interval{2, 3},
            .against_smallest = 1};
  Least measured{.objective = Objective::kEnergy, .x = 4, .place = LeastPlace::kInside};
  Least measured_edp{.objective = Objective::kEnergyDelay, .x = 8, .place = LeastPlace::kLargest};
  scaling.least_caveat = "power bends";
  scaling.least = {{.law = "floor", .rejected = {}, .best = true, .least = {end, inside}},
                   {.law = "amdahl", .rejected = {}, .best = false, .least = {end, inside}},
                   {.law = "usl", .rejected = "too few different N", .best = false, .least = {}},
                   {.law = "measured", .least = {measured, measured_edp}}};
  scaling.totals = {.gpu_hours = 3.6, .joules = 2.7e7, .kwh = 7.5, .co2_kg = 0.42, .cost = {}};
  return scaling;
}

std::string written_energy(Format format) {
  const std::vector<GroupEnergy> groups{
      {{"BERT"}, hand_made_scaling()},
      {{"VGG"}, NoFit{FailureCode::kNotIdentifiable, "numbers beyond the range"}}};
  std::string text;
  write_groups(*make_energy_writer(hand_made_energy_report(), {.format = format},
                                   [&text](std::string_view piece) { text += piece; }),
               groups);
  return text;
}

TEST(EnergySentences, SayWhatTheFiguresMean) {
  const auto lines = energy_sentences(hand_made_energy_report(), hand_made_scaling());
  EXPECT_THAT(lines, Contains(StartsWith("t = alpha * N^(-beta), beta 0.875 ± 0.013; power of one "
                                         "GPU as N^(0.250 ± 0.013); energy as N^(0.250 ± 0.013): "
                                         "twice the gpus, 18.9 % more energy")));
  EXPECT_THAT(lines, Contains("the exponent of the energy differs by 0.100 ± 0.010 from 1 - beta + "
                              "exponent(P), which time and power give, on 6 runs with "
                              "power_mean_w: energy and power do not tell the same story as N "
                              "grows. Check what each measures: an energy of the whole node goes "
                              "with no power of its GPUs alone; energies are 1.500 times N t P "
                              "(1.250 .. 1.750)"));
  EXPECT_THAT(lines, Contains("E = k * GPU-hours: k = 250.0 W per GPU (240.0 .. 260.0); with an "
                              "intercept: k = 250.0 (240.0 .. 260.0), intercept 1.500 kWh (1.000 "
                              ".. 2.000): energy that does not grow with the hours, as of a "
                              "start-up, or power that falls as they grow"));
  EXPECT_THAT(lines, Contains("energy: none inside the range, least at the smallest, gpus 2 (2 .. "
                              "3 not excluded) by floor (best), amdahl; least at gpus 4, 1.000 of "
                              "that at the smallest by measured"));
  EXPECT_THAT(lines, Contains("energy-delay product: least at gpus 5 (4 .. 7), 0.5000 of that at "
                              "the smallest by floor (best), amdahl; none inside the range, least "
                              "at the largest, gpus 8 by measured"));
  EXPECT_THAT(lines,
              Contains("not asked for minima: usl: too few different N; minima under laws are "
                       "doubtful: power bends"));
  EXPECT_THAT(lines, Contains("6 runs together: 3.600 GPU-hours, 7.500 kWh, 0.4200 kg CO2"));
  // Only time has a speedup.
  EXPECT_THAT(lines, Contains("warnings of the power laws: curved (of the power, energy)"));
}

TEST(EnergySentences, ALevelThatIsOffAsksWhatThePowerIsOf) {
  EnergyScaling scaling = hand_made_scaling();
  scaling.identity.verdict = IdentityVerdict::kLevelOff;
  scaling.identity.level = Ratio{0.125, Interval{0.12, 0.13}};
  EXPECT_THAT(energy_sentences(hand_made_energy_report(), scaling),
              Contains("the exponent of the energy differs by 0.100 ± 0.010 from 1 - beta + "
                       "exponent(P), which time and power give, on 6 runs with power_mean_w: the "
                       "power seems to be of several GPUs or of a node: "
                       "--total-power?; energies are 0.1250 times N t P (0.1200 .. 0.1300)"));
}

TEST(EnergySentences, HoursAreOfWhatXCounts) {
  EnergyReport report = hand_made_energy_report();
  report.study.x = "nodes";
  EXPECT_THAT(energy_sentences(report, hand_made_scaling()),
              Contains("6 runs together: 3.600 node-hours, 7.500 kWh, 0.4200 kg CO2"));
}

TEST(EnergySentences, ByConstructionThereIsNoResidual) {
  EnergyScaling scaling = hand_made_scaling();
  scaling.identity = {};
  scaling.power = PowerSource::kFromEnergy;
  EXPECT_THAT(energy_sentences(hand_made_energy_report(), scaling),
              Contains("exponent(E) = 1 - beta + exponent(P) by construction: power is energy over "
                       "N t"));
}

TEST(EnergySentences, PartsThatAreMissingAreReasons) {
  EnergyScaling scaling = hand_made_scaling();
  scaling.exponents = NoFit{FailureCode::kTooFewX, "one N"};
  scaling.gpu_hours.intercept = NoFit{FailureCode::kTooFewPoints, "one run"};
  scaling.least.clear();
  const auto lines = energy_sentences(hand_made_energy_report(), scaling);
  EXPECT_THAT(lines, Contains("no exponents: one N (too-few-x)"));
  EXPECT_THAT(lines, Contains(HasSubstr("; no intercept: one run")));
}

TEST(WriteEnergies, JsonHasTheContractsKeys) {
  const json document = parse_json(written_energy(Format::kJson));
  EXPECT_EQ(document["schema"], "scalelaw.energy/1");
  EXPECT_EQ(document["carbon_intensity"], 56);
  EXPECT_TRUE(document["price"].is_null());
  const json& group = document["energies"].at(0);
  EXPECT_EQ(group["group"]["model"], "BERT");
  EXPECT_EQ(group["exponents"]["time"]["beta"], 0.875);
  EXPECT_EQ(group["exponents"]["energy"]["exponent"], 0.25);
  EXPECT_EQ(group["identity"]["verdict"], "disagrees");
  EXPECT_EQ(group["identity"]["residual"]["estimate"], 0.1);
  EXPECT_EQ(group["gpu_hours"]["through_origin"]["k_w_per_gpu"]["estimate"], 250);
  EXPECT_EQ(group["gpu_hours"]["with_intercept"]["intercept_wh"]["estimate"], 1500);
  EXPECT_EQ(group["gpu_hours"]["through_origin_least_squares"]["r2_about_mean"], 0.95);
  EXPECT_EQ(group["scales"].at(1)["energy"]["ratio"], 1.5);
  EXPECT_TRUE(group["scales"].at(0)["speedup"]["ci"].is_null());
  EXPECT_TRUE(group["scales"].at(1)["sample_energy"].is_null());
  EXPECT_EQ(group["least"].at(0)["minima"]["edp"]["x"], 5);
  EXPECT_EQ(group["least"].at(2)["rejected"], "too few different N");
  EXPECT_TRUE(group["k_moves_together"].is_null());
  EXPECT_TRUE(group["totals"]["cost"].is_null());
  EXPECT_EQ(document["failed"].at(0)["code"], "not-identifiable");
}

TEST(WriteEnergies, CsvHasARowAGroupAndN) {
  const std::string text = written_energy(Format::kCsv);
  EXPECT_THAT(text, StartsWith("model,status,x,runs,seconds,joules,w_per_gpu,gpu_hours,kwh,co2_kg,"
                               "cost,speedup,speedup_ci_lower,speedup_ci_upper,efficiency,"));
  EXPECT_THAT(text, HasSubstr("\nBERT,ok,2,3,100,3600000,300,0.5,1,0.056,,1,,,1,,,1,,,1,,,,,,"));
  EXPECT_THAT(text, HasSubstr("\nBERT,ok,8,3,30,5400000,290,0.7,1.5,0.084,,3.333,3.25,3.5,"));
  EXPECT_THAT(text, HasSubstr("least_cost_place,least_caveat,measured_least_energy_x,"
                              "measured_least_energy_place,measured_least_edp_x,"));
  EXPECT_THAT(text, HasSubstr(",floor,2,2,3,smallest,5,4,7,inside,,,,,power bends,4,inside,8,"
                              "largest,,,"));
  EXPECT_THAT(text, HasSubstr("\nVGG,failed,,"));
  EXPECT_THAT(text, HasSubstr(",not-identifiable,numbers beyond the range\n"));
}

TEST(WriteEnergies, TableShowsTheRowsOfFigureFive) {
  const std::string text = written_energy(Format::kTable);
  EXPECT_THAT(
      text, HasSubstr("\n\nSpeedup and relative energy are against the smallest gpus of the "
                      "group. Time: seconds, energy: energy_j, power: power_mean_w. One kWh emits "
                      "56 g CO2.\n"));
  EXPECT_THAT(text, HasSubstr("83.3 %    1.500   1.500"));
  EXPECT_THAT(text, Not(HasSubstr("3.25 .. 3.50")));
  EXPECT_THAT(text, HasSubstr("model VGG has no energy scaling: numbers beyond the range"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(WriteEnergies, EveryTableFormat) {
  EXPECT_THAT(written_energy(Format::kMarkdown), HasSubstr("| BERT  |"));
  EXPECT_THAT(written_energy(Format::kLatex), HasSubstr("\\begin{tabular}{lrrrrrrrrrrr}"));
  EXPECT_THAT(written_energy(Format::kHtml),
              HasSubstr("<p>model BERT: On average, doubling the GPUs"));
  EXPECT_THAT(written_energy(Format::kTsv), StartsWith("model\tstatus\tx"));
}

}  // namespace
}  // namespace scalelaw
