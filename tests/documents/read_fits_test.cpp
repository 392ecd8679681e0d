#include "scalelaw/documents/read_fits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "scalelaw/base/error.hpp"
#include "scalelaw/fit/surface.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/runs/read_runs.hpp"
#include "support/places.hpp"

namespace scalelaw {
namespace {

const std::string kDemo = source_folder().string() + "/data/demo/runs.csv";

std::string file_with(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    (std::string("read_fits_") +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
  std::ofstream(path) << text;
  return path.string();
}

std::string document_of(const FitOptions& options) {
  RunOptions reading;
  reading.keep_points = options.bootstrap.resamples > 0 || options.robust != Robust::kNone;
  reading.logarithmic_y = options.law->scale() == Scale::kLog;
  const GroupedCells runs = read_runs(std::vector{kDemo}, reading);
  const auto fits = fit_groups(runs, options);
  FitReport report = report_on(runs, options);
  return render_fits(report, fits, {.format = Format::kJson});
}

/// Reads a written document and writes it again.
void expect_round_trip(const FitOptions& options) {
  const std::string first = document_of(options);
  const SavedFits saved = read_fits(file_with(first));
  FitReport report;
  report.x = saved.x;
  report.y = saved.y;
  report.by = saved.by;
  report.options = options;
  std::string again = render_fits(report, saved.groups, {.format = Format::kJson});
  const auto fits_of = [](const std::string& text) { return text.substr(text.find("\"fits\"")); };
  EXPECT_EQ(fits_of(again), fits_of(first));
  EXPECT_GT(saved.groups.size(), 10);
}

TEST(ReadFits, EveryFigureComesBackToTheLastDigit) {
  for (const auto law : law_names()) expect_round_trip({.law = find_law(law)});
}

TEST(ReadFits, ProfilesNearABoundComeBackToo) {
  const FitOptions options{.law = find_law("usl"), .bound_curves = true};
  expect_round_trip(options);
  EXPECT_NE(document_of(options).find("bound_curves"), std::string::npos);
}

TEST(ReadFits, ErrorsAndResamplesComeBackToo) {
  expect_round_trip({.law = find_law("floor"), .errors = Errors::kNormal});
  expect_round_trip({.se = StandardError::kHc2Bm});
  expect_round_trip({.robust = Robust::kHuber});
  expect_round_trip({.bootstrap = {.resamples = 100}});
}

TEST(ReadFits, SurfacesComeBackToTheLastDigit) {
  FitOptions options;
  options.law = find_law("chinchilla");
  options.robust = Robust::kHuber;
  options.se = StandardError::kSandwich;
  options.bootstrap = {.resamples = 100, .kind = BootstrapKind::kCase};
  std::vector<double> n;
  std::vector<double> d;
  std::vector<double> y;
  for (int i = 0; i < 30; ++i) {
    n.push_back(1e8 * std::pow(1.2, i));
    d.push_back(1e9 * std::pow(1.9, i % 7));
    y.push_back((1.8 + 400 * std::pow(n[i], -0.34) + 1500 * std::pow(d[i], -0.35)) *
                (1 + 0.003 * std::sin(7.0 * i)));
  }
  FitReport report;
  report.x = "n,d";
  report.scales = {"n", "d"};
  report.y = "loss";
  report.options = options;
  const std::vector<GroupFit> fits{{GroupKey{}, fit_surface(n, d, y, options)}};
  const std::string first = render_fits(report, fits, {.format = Format::kJson});
  const SavedFits saved = read_fits(file_with(first));
  EXPECT_EQ(saved.scales, report.scales);
  EXPECT_EQ(render_fits(report, saved.groups, {.format = Format::kJson}), first);
}

TEST(ReadFits, FailedGroupsKeepTheirReason) {
  const std::string table = file_with("model,gpus,seconds\nA,1,10\nA,2,5\nA,4,3\nB,4,1\n");
  const GroupedCells runs = read_runs(std::vector{table}, {});
  const auto fits = fit_groups(runs);
  const std::string text =
      render_fits(report_on(runs, FitOptions{}), fits, {.format = Format::kJson});
  const SavedFits saved = read_fits(file_with(text));
  ASSERT_EQ(saved.groups.size(), 2);
  EXPECT_EQ(std::get<NoFit>(saved.groups[1].result).code, FailureCode::kTooFewPoints);
  EXPECT_EQ(saved.groups[1].group, GroupKey{"B"});
}

std::string error_of(const std::string& text) {
  try {
    read_fits(file_with(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadFits, ErrorsNameThePlace) {
  const std::string good = document_of({});
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return error_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_NE(error_of("{\"schema\": ").find(":1: no JSON"), std::string::npos);
  EXPECT_NE(error_of("{\"schema\": 8.8e1310}").find("8.8e1310"), std::string::npos);
  EXPECT_NE(error_of("{}").find("the document lacks 'schema'"), std::string::npos);
  EXPECT_NE(with("scalelaw.fit/1", "scalelaw.fit/2").find("expected 'scalelaw.fit/1'"),
            std::string::npos);
  EXPECT_NE(with("\"law\": \"power\"", "\"law\": \"pauer\"").find("'law' is no law"),
            std::string::npos);
  EXPECT_NE(with("\"beta\": {", "\"beter\": {").find("'fits[0].parameters' lacks 'beta'"),
            std::string::npos);
  EXPECT_NE(with("\"se\": 0", "\"se\": -0").find("'fits[0].parameters.beta.se' is negative"),
            std::string::npos)
      << with("\"se\": 0", "\"se\": -0");
}

TEST(ReadFits, TellsFitsFromTables) {
  EXPECT_TRUE(holds_saved_fits(file_with("\n {\"by\": [], \"schema\": \"scalelaw.fit/1\"}")));
  EXPECT_FALSE(holds_saved_fits(file_with("{\"gpus\": 1}\n{\"gpus\": 2}\n")));
  EXPECT_FALSE(holds_saved_fits(kDemo));
}

}  // namespace
}  // namespace scalelaw
