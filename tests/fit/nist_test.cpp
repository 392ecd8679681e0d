#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "fit/cells_of.hpp"
#include "fit/nist_data.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/least_squares.hpp"

// Certified values: NIST/ITL StRD, linear and non-linear regression.

namespace scalelaw {
namespace {

double worst_digits(const std::vector<double>& figures, const std::vector<double>& certified) {
  double worst = 15;
  for (std::size_t i = 0; i < certified.size(); ++i) {
    worst = std::min(worst, correct_digits(figures.at(i), certified[i]));
  }
  return worst;
}

void record(const std::string& what, double digits) {
  testing::Test::RecordProperty(what + "_digits", std::to_string(digits));
  std::cout << "  " << what << ": " << digits << " digits\n";
}

/// Row-major powers x^first .. x^last.
std::vector<double> powers(const std::vector<double>& x, int first, int last) {
  std::vector<double> design;
  for (const double value : x) {
    double power = first == 0 ? 1 : value;
    for (int k = first; k <= last; ++k) {
      design.push_back(power);
      power *= value;
    }
  }
  return design;
}

std::vector<double> count_to(int last) {
  std::vector<double> x;
  for (int i = 0; i <= last; ++i) x.push_back(i);
  return x;
}

struct Certified {
  std::vector<double> estimates;
  std::vector<double> standard_errors;
  double sigma;
  double r2;
};

/// Checks the fewest correct digits of estimates, then of standard errors, sigma and R2.
void expect_digits(const std::string& name, const LeastSquares& fit, const Certified& certified,
                   double estimate_digits, double error_digits) {
  const double estimates = worst_digits(fit.estimates, certified.estimates);
  const double errors = std::min({worst_digits(fit.standard_errors, certified.standard_errors),
                                  correct_digits(*fit.sigma, certified.sigma),
                                  correct_digits(*fit.r2, certified.r2)});
  record(name + "_estimates", estimates);
  record(name + "_errors", errors);
  EXPECT_GE(estimates, estimate_digits) << name;
  EXPECT_GE(errors, error_digits) << name;
}

TEST(LeastSquares, AgreesWithNistLongley) {
  const LeastSquares fit = least_squares(nist::kLongleyY, nist::kLongleyX, 6);
  expect_digits("Longley", fit,
                {{-3482258.63459582, 15.0618722713733, -0.358191792925910E-01, -2.02022980381683,
                  -1.03322686717359, -0.511041056535807E-01, 1829.15146461355},
                 {890420.383607373, 84.9149257747669, 0.334910077722432E-01, 0.488399681651699,
                  0.214274163161675, 0.226073200069370, 455.478499142212},
                 304.854073561965,
                 0.995479004577296},
                12, 12);
  EXPECT_EQ(fit.dof, 9);
  EXPECT_GE(correct_digits(*fit.f, 330.285339234588), 12);
}

TEST(LeastSquares, AgreesWithNistFilipToSevenDigits) {
  const LeastSquares fit = least_squares(nist::kFilipY, powers(nist::kFilipX, 1, 10), 10);
  expect_digits("Filip", fit,
                {{-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372,
                  -354.478233703349, -75.1242017393757, -10.8753180355343, -1.06221498588947,
                  -0.670191154593408E-01, -0.246781078275479E-02, -0.402962525080404E-04},
                 {298.084530995537, 559.779865474950, 466.477572127796, 227.204274477751,
                  71.6478660875927, 15.2897178747400, 2.23691159816033, 0.221624321934227,
                  0.142363763154724E-01, 0.535617408889821E-03, 0.896632837373868E-05},
                 0.334801051324544E-02,
                 0.996727416185620},
                7, 7);
}

TEST(LeastSquares, AgreesWithNistPontius) {
  std::vector<double> x;
  for (int i = 0; i < 40; ++i) x.push_back(150000.0 * (i % 20 + 1));
  const LeastSquares fit = least_squares(nist::kPontiusY, powers(x, 1, 2), 2);
  expect_digits("Pontius", fit,
                {{0.673565789473684E-03, 0.732059160401003E-06, -0.316081871345029E-14},
                 {0.107938612033077E-03, 0.157817399981659E-09, 0.486652849992036E-16},
                 0.205177424076185E-03,
                 0.999999900178537},
                12, 12);
}

TEST(LeastSquares, AgreesWithNistWampler) {
  const std::vector<double> x = count_to(20);
  const std::vector<double> design = powers(x, 1, 5);
  std::vector<double> wampler2;
  for (const double v : x) {
    wampler2.push_back(static_cast<double>(1 + 0.1L * v + 0.01L * v * v + 0.001L * v * v * v +
                                           0.0001L * v * v * v * v + 0.00001L * v * v * v * v * v));
  }
  const std::vector<double> ones(6, 1.0);
  const std::vector<double> errors{2152.32624678170, 2363.55173469681, 779.343524331583,
                                   101.475507550350, 5.64566512170752, 0.112324854679312};
  const auto times = [&](double factor) {
    std::vector<double> scaled = errors;
    for (double& error : scaled) error *= factor;
    return scaled;
  };
  const LeastSquares fit1 = least_squares(nist::kWampler1Y, design, 5);
  record("Wampler1_estimates", worst_digits(fit1.estimates, ones));
  EXPECT_GE(worst_digits(fit1.estimates, ones), 12);
  EXPECT_LT(*fit1.sigma, 1e-9);
  const LeastSquares fit2 = least_squares(wampler2, design, 5);
  const std::vector<double> tenths{1, 0.1, 0.01, 0.001, 0.0001, 0.00001};
  record("Wampler2_estimates", worst_digits(fit2.estimates, tenths));
  EXPECT_GE(worst_digits(fit2.estimates, tenths), 12);
  expect_digits("Wampler3", least_squares(nist::kWampler3Y, design, 5),
                {ones, errors, 2360.14502379268, 0.999995559025820}, 12, 12);
  expect_digits("Wampler4", least_squares(nist::kWampler4Y, design, 5),
                {ones, times(100), 236014.502379268, 0.957478440825662}, 12, 12);
  expect_digits("Wampler5", least_squares(nist::kWampler5Y, design, 5),
                {ones, times(10000), 23601450.2379268, 0.224668921574940E-02}, 12, 12);
}

const Certified kNorris{{-0.262323073774029, 1.00211681802045},
                        {0.232818234301152, 0.429796848199937E-03},
                        0.884796396144373,
                        0.999993745883712};
const Certified kNoInt1{
    {2.07438016528926}, {0.165289256198347E-01}, 3.56753034006338, 0.999365492298663};
const Certified kNoInt2{
    {0.727272727272727}, {0.420827318078432E-01}, 0.369274472937998, 0.993348115299335};

TEST(LeastSquares, AgreesWithNistNorrisAndNoInt) {
  expect_digits("Norris", least_squares(nist::kNorrisY, nist::kNorrisX, 1), kNorris, 12, 12);
  expect_digits(
      "NoInt1",
      least_squares(nist::kNoInt1Y, nist::kNoInt1X, 1, {.intercept = false, .weights = {}}),
      kNoInt1, 12, 12);
  expect_digits(
      "NoInt2",
      least_squares(nist::kNoInt2Y, nist::kNoInt2X, 1, {.intercept = false, .weights = {}}),
      kNoInt2, 12, 12);
}

Fit fit_by(const std::string& law, const std::vector<double>& x, const std::vector<double>& y) {
  FitOptions options;
  options.law = find_law(law);
  return fit_law(point_cells(x, y), options);
}

void expect_digits(const std::string& name, const Fit& fit, const Certified& certified,
                   double fewest) {
  double worst =
      std::min(correct_digits(*fit.sigma, certified.sigma), correct_digits(*fit.r2, certified.r2));
  for (std::size_t k = 0; k < certified.estimates.size(); ++k) {
    worst = std::min(worst, correct_digits(fit.parameters[k].estimate, certified.estimates[k]));
    worst = std::min(worst, correct_digits(*fit.parameters[k].se, certified.standard_errors[k]));
  }
  record(name, worst);
  EXPECT_GE(worst, fewest) << name;
}

TEST(FitLaw, AgreesWithNistNorrisToTwelveDigitsByTheLinearLaw) {
  const Fit fit = fit_by("linear", nist::kNorrisX, nist::kNorrisY);
  expect_digits("Norris", fit, kNorris, 12);
  EXPECT_EQ(fit.dof, 34);
  EXPECT_GE(correct_digits(*fit.f, 5436385.54079785), 12);
}

TEST(FitLaw, KeepsElevenDigitsOfNorrissSlopeWithAHundredMillionAddedToX) {
  std::vector<double> x = nist::kNorrisX;
  for (double& value : x) value += 1e8;
  const Fit fit = fit_by("linear", x, nist::kNorrisY);
  const double slope = correct_digits(fit.parameters[1].estimate, 1.00211681802045);
  record("Norris+1e8_slope", slope);
  EXPECT_GE(slope, 11);
  // x + 1e8 is rounded at the 8th decimal, which changes the residuals by 1e-8.
  EXPECT_GE(correct_digits(*fit.parameters[1].se, 0.429796848199937E-03), 9);
}

TEST(FitLaw, LosesNothingToAShiftThatDoubleHoldsExactly) {
  std::vector<double> tenths;
  for (const double value : nist::kNorrisX) tenths.push_back(std::round(10 * value) + 1e9);
  const Fit fit = fit_by("linear", tenths, nist::kNorrisY);
  const double worst = std::min({correct_digits(fit.parameters[1].estimate, 0.100211681802045),
                                 correct_digits(*fit.parameters[1].se, 0.429796848199937E-04),
                                 correct_digits(*fit.sigma, 0.884796396144373),
                                 correct_digits(*fit.r2, 0.999993745883712)});
  record("Norris_tenths+1e9", worst);
  EXPECT_GE(worst, 11);
}

TEST(FitLaw, AgreesWithNistNoIntByTheProportionalLaw) {
  expect_digits("NoInt1", fit_by("proportional", nist::kNoInt1X, nist::kNoInt1Y), kNoInt1, 12);
  expect_digits("NoInt2", fit_by("proportional", nist::kNoInt2X, nist::kNoInt2Y), kNoInt2, 12);
}

TEST(FitLaw, AgreesWithNistDanWoodToNineDigitsUnderNormalErrors) {
  FitOptions options;
  options.response = Response::kRate;
  options.errors = Errors::kNormal;
  const Fit fit = fit_law(point_cells(nist::kDanWoodX, nist::kDanWoodY), options);
  const double worst = std::min({correct_digits(fit.parameters[0].estimate, 7.6886226176E-01),
                                 correct_digits(fit.parameters[1].estimate, 3.8604055871E+00),
                                 correct_digits(*fit.parameters[0].se, 1.8281973860E-02),
                                 correct_digits(*fit.parameters[1].se, 5.1726610913E-02),
                                 correct_digits(*fit.sigma, 3.2853114039E-02)});
  record("DanWood (11 certified)", worst);
  EXPECT_GE(worst, 9);
  EXPECT_EQ(fit.dof, 4);
}

}  // namespace
}  // namespace scalelaw
