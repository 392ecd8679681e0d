#include "scalelaw/render/fit_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "hand_made_fit.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/version.hpp"
#include "support/json.hpp"

namespace scalelaw {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHostileName = "it's \"<b>\", a|b_c^{d} \\ `e` $f$ 漢字\n#;";

Json json_of(const std::vector<GroupFit>& fits, const FitReport& report = hand_made_report()) {
  return Json::parse(render_fits(report, fits, {.format = Format::kJson}));
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::string message_of(const auto& act) {
  try {
    act();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

TEST(FitJson, HasTheKeysOfTheContractInItsOrder) {
  const Json document = json_of({group_of("BERT", "250", hand_made_fit()), failed_group("X", "1")});
  EXPECT_EQ(keys_of(document),
            (std::vector<std::string>{
                "schema", "version", "inputs",     "x",      "y",        "quantity", "by",
                "law",    "formula", "response",   "points", "run",      "weights",  "errors",
                "robust", "se",      "confidence", "rows",   "warnings", "fits",     "failed"}));
  EXPECT_EQ(keys_of(document["fits"][0]), (std::vector<std::string>{"group",
                                                                    "law",
                                                                    "n",
                                                                    "distinct_x",
                                                                    "x_min",
                                                                    "x_max",
                                                                    "dof",
                                                                    "parameters",
                                                                    "log_alpha",
                                                                    "covariance",
                                                                    "rss",
                                                                    "sigma",
                                                                    "r2",
                                                                    "r2_adjusted",
                                                                    "f",
                                                                    "f_p",
                                                                    "log_likelihood",
                                                                    "aic",
                                                                    "aicc",
                                                                    "bic",
                                                                    "rmse",
                                                                    "mape",
                                                                    "smearing",
                                                                    "speedup",
                                                                    "curvature",
                                                                    "lack_of_fit",
                                                                    "cooks_distance_max",
                                                                    "cooks_distance_p",
                                                                    "scatter_trend_p",
                                                                    "outlier",
                                                                    "warnings"}));
}

TEST(FitJson, HoldsTheFactsOfTheStudy) {
  const Json document = json_of({});
  EXPECT_EQ(document["schema"], "scalelaw.fit/1");
  EXPECT_EQ(document["version"], std::string(kVersion));
  EXPECT_EQ(document["inputs"], Json::parse(R"(["runs.csv"])"));
  EXPECT_EQ(document["by"], Json::parse(R"(["model", "power_cap_w"])"));
  EXPECT_EQ(document["run"], nullptr);
  EXPECT_EQ(document["rows"],
            Json::parse(R"({"read": 100, "used": 90, "missing": 7, "bad": 2, "filtered": 1,
                                "failed": 0})"));
  EXPECT_EQ(document["fits"], Json::array());
  EXPECT_EQ(document["failed"], Json::array());
}

TEST(FitJson, HoldsEveryFigure) {
  const Json fit = json_of({group_of("BERT", "250", hand_made_fit())})["fits"][0];
  EXPECT_EQ(fit["group"], Json::parse(R"({"model": "BERT", "power_cap_w": "250"})"));
  EXPECT_EQ(fit["parameters"], Json::parse(R"({
    "alpha": {"estimate": 21637.25, "se": 250.5, "ci": [21100.5, 22200.75]},
    "beta": {"estimate": 0.875, "se": 0.0125, "ci": [0.85, 0.9], "t": 70.0, "p": 1e-40}})"));
  EXPECT_EQ(fit["covariance"], Json::parse("[[0.0625, 0.5], [0.5, 0.00015625]]"));
  EXPECT_EQ(fit["speedup"], Json::parse(R"({"observed": 100, "implied": 108.5})"));
  EXPECT_EQ(fit["curvature"], Json::parse(R"({"estimate": 0.01, "t": 0.75, "p": 0.4})"));
  EXPECT_EQ(fit["n"], 45);
  EXPECT_EQ(fit["dof"], 43);
  EXPECT_EQ(fit["aicc"], -134.5);
}

TEST(FitJson, WritesNullForWhatIsUndefined) {
  const Json fit = json_of({group_of("BERT", "250", undefined_fit())})["fits"][0];
  EXPECT_EQ(fit["parameters"]["beta"],
            Json::parse(R"({"estimate": 1, "se": null, "ci": null, "t": null, "p": null})"));
  for (const char* key : {"covariance", "sigma", "r2", "f", "log_likelihood", "aicc", "speedup",
                          "curvature", "lack_of_fit", "cooks_distance_max"}) {
    EXPECT_EQ(fit[key], nullptr) << key;
  }
}

TEST(FitJson, WritesNullForNumbersThatJsonLacks) {
  Fit fit = hand_made_fit();
  fit.f = std::numeric_limits<double>::infinity();
  fit.mape = std::numeric_limits<double>::quiet_NaN();
  const Json document = json_of({group_of("BERT", "250", fit)})["fits"][0];
  EXPECT_EQ(document["f"], nullptr);
  EXPECT_EQ(document["mape"], nullptr);
}

TEST(FitJson, AddsWhatOtherStandardErrorsBring) {
  Fit fit = hand_made_fit();
  fit.parameters[1].classic_se = 0.01;
  fit.parameters[1].dof = 7.5;
  const Json beta = json_of({group_of("BERT", "250", fit)})["fits"][0]["parameters"]["beta"];
  EXPECT_EQ(beta["classic_se"], 0.01);
  EXPECT_EQ(beta["dof"], 7.5);
}

TEST(FitJson, AddsTheBootstrap) {
  Fit fit = hand_made_fit();
  fit.bootstrap =
      Bootstrap{.kind = BootstrapKind::kWebb,
                .resamples = 999,
                .seed = 18446744073709551615u,
                .parameters = {{.se = 250, .ci = {1, 2}, .ci_bca = {}},
                               {.se = 0.01, .ci = {0.5, 1}, .ci_bca = Interval{0.75, 1}}}};
  EXPECT_EQ(json_of({group_of("BERT", "250", fit)})["fits"][0]["bootstrap"], Json::parse(R"({
    "kind": "webb", "b": 999, "seed": 18446744073709551615,
    "alpha": {"se": 250, "ci": [1, 2], "ci_bca": null},
    "beta": {"se": 0.01, "ci": [0.5, 1], "ci_bca": [0.75, 1]}})"));
}

TEST(FitJson, ExplainsWarnings) {
  Fit fit = hand_made_fit();
  fit.warnings = {WarningCode::kCurved};
  const Json warnings = json_of({group_of("BERT", "250", fit)})["fits"][0]["warnings"];
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0]["code"], "curved");
  EXPECT_EQ(warnings[0]["message"], explain(WarningCode::kCurved, fit));
}

TEST(FitJson, ListsFailedGroupsWithTheirCode) {
  EXPECT_EQ(json_of({failed_group("X", "250")})["failed"], Json::parse(R"([
    {"group": {"model": "X", "power_cap_w": "250"}, "code": "too-few-x",
     "message": "all 3 points have the same gpus"}])"));
}

TEST(FitJson, KeepsHostileNames) {
  const Json document =
      json_of({group_of(kHostileName, "250", hand_made_fit()), failed_group(kHostileName, "1")});
  EXPECT_EQ(document["fits"][0]["group"]["model"], kHostileName);
  EXPECT_EQ(document["failed"][0]["group"]["model"], kHostileName);
}

TEST(FitJsonl, WritesOneObjectALineAndNothingElse) {
  const std::string text = render_fits(
      hand_made_report(),
      std::vector{group_of(kHostileName, "250", hand_made_fit()), failed_group("X", "250")},
      {.format = Format::kJsonl});
  std::istringstream lines(text);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(Json::parse(line)["group"]["model"], kHostileName);
  EXPECT_EQ(Json::parse(line)["parameters"]["beta"]["estimate"], 0.875);
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(Json::parse(line)["code"], "too-few-x");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(FitCsv, HasOneRowAGroupWithEveryScalar) {
  EXPECT_EQ(
      render_fits(hand_made_report(),
                  std::vector{group_of("BERT", "250", hand_made_fit()),
                              group_of("tiny", "250", undefined_fit()), failed_group("X", "250")},
                  {.format = Format::kCsv}),
      "model,power_cap_w,status,law,n,distinct_x,x_min,x_max,dof,alpha,alpha_se,alpha_ci_lower,"
      "alpha_ci_upper,beta,beta_se,beta_ci_lower,beta_ci_upper,beta_t,beta_p,log_alpha,"
      "log_alpha_se,log_alpha_ci_lower,log_alpha_ci_upper,covariance_1_1,covariance_1_2,"
      "covariance_2_2,sigma,r2,r2_adjusted,f,f_p,log_likelihood,aic,aicc,bic,rmse,mape,smearing,"
      "speedup_observed,speedup_implied,curvature,curvature_t,curvature_p,lack_of_fit_f,"
      "lack_of_fit_p,cooks_distance_max,warnings,code,message\n"
      "BERT,250,ok,power,45,9,2,424,43,21637.25,250.5,21100.5,22200.75,0.875,0.0125,0.85,0.9,70,"
      "1e-40,9.5,0.25,9,10,0.0625,0.5,0.00015625,0.05,0.9986,0.9985,4900,1e-40,70.5,-135,-134.5,"
      "-129.5,12.5,0.04,1.001,100,108.5,0.01,0.75,0.4,1.25,0.3,0.2,,,\n"
      "tiny,250,ok,power,2,2,1,2,0,100,,,,1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"
      "X,250,failed,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,too-few-x,"
      "all 3 points have the same gpus\n");
}

TEST(FitCsv, TakesChosenColumnsInTheirOrder) {
  EXPECT_EQ(render_fits(hand_made_report(), std::vector{group_of("BERT", "250", hand_made_fit())},
                        {.format = Format::kCsv,
                         .columns = {"n", "model", "slope", "intercept", "slope_se", "beta"}}),
            "n,model,slope,intercept,slope_se,beta\n45,BERT,-0.875,9.5,0.0125,0.875\n");
}

TEST(FitCsv, SlopeOfARateRises) {
  Fit fit = hand_made_fit();
  fit.response = Response::kRate;
  EXPECT_EQ(render_fits(hand_made_report(), std::vector{group_of("BERT", "250", fit)},
                        {.format = Format::kCsv, .columns = {"slope"}}),
            "slope\n0.875\n");
}

TEST(FitCsv, AddsColumnsForWhatWasAskedOf) {
  FitReport report = hand_made_report();
  report.options.se = StandardError::kHc3;
  report.options.bootstrap.resamples = 100;
  const std::string header =
      render_fits(report, std::span<const GroupFit>(), {.format = Format::kCsv});
  EXPECT_NE(header.find(",beta_p,beta_classic_se,beta_dof,beta_bootstrap_se,"
                        "beta_bootstrap_ci_lower,beta_bootstrap_ci_upper,beta_bootstrap_bca_lower,"
                        "beta_bootstrap_bca_upper,log_alpha,"),
            std::string::npos);
}

TEST(FitCsv, QuotesHostileNames) {
  EXPECT_EQ(
      render_fits(hand_made_report(), std::vector{group_of("a,\"b\"\n", "250", hand_made_fit())},
                  {.format = Format::kCsv, .columns = {"model", "n"}}),
      "model,n\n\"a,\"\"b\"\"\n\",45\n");
  EXPECT_EQ(render_fits(hand_made_report(), std::vector{group_of("a\tb", "250", hand_made_fit())},
                        {.format = Format::kTsv, .columns = {"model", "n"}}),
            "model\tn\n\"a\tb\"\t45\n");
}

TEST(FitCsv, WritesAnEmptyFieldThatReadersSee) {
  EXPECT_EQ(render_fits(hand_made_report(), std::vector{group_of("BERT", "250", undefined_fit())},
                        {.format = Format::kCsv, .columns = {"r2"}}),
            "r2\n\"\"\n");
}

TEST(FitCsv, JoinsWarningsWithSemicolons) {
  Fit fit = hand_made_fit();
  fit.warnings = {WarningCode::kCurved, WarningCode::kShortRange};
  EXPECT_EQ(render_fits(hand_made_report(), std::vector{group_of("BERT", "250", fit)},
                        {.format = Format::kCsv, .columns = {"warnings", "n"}}),
            "warnings,n\ncurved;short-range,45\n");
}

TEST(FitColumns, TellAGroupColumnFromAFigureOfTheSameName) {
  FitReport report = hand_made_report();
  report.by = {"n", "power_cap_w"};
  EXPECT_EQ(render_fits(report, std::vector{group_of("BERT", "250", hand_made_fit())},
                        {.format = Format::kCsv, .columns = {"group_n", "n"}}),
            "group_n,n\nBERT,45\n");
}

TEST(FitColumns, AnUnknownNameAnswersWithTheNearest) {
  const auto message = message_of([] {
    render_fits(hand_made_report(), std::span<const GroupFit>(),
                {.format = Format::kCsv, .columns = {"bta"}});
  });
  EXPECT_EQ(message.substr(0, 68),
            "--columns: there is no column 'bta' (did you mean 'beta'?); columns ");
}

TEST(FitTable, RoundsForPeople) {
  EXPECT_EQ(
      render_fits(hand_made_report(), std::vector{group_of("BERT", "250", hand_made_fit()),
                                                  group_of("tiny", "100", undefined_fit())}),
      "Doubling the GPUs cuts the time of an epoch by 45 to 50 %, depending on the group. It helps "
      "tiny, 100 W most (50 % less) and BERT, 250 W least (45 % less).\n\nt = alpha * N^(-beta), "
      "x: gpus, y: epoch_seconds\n\nmodel  power_cap_w   n      gpus  alpha   beta   95 % interval "
      " 2x GPUs  notes\n─────  ───────────  ──  ────────  ─────  ─────  ──────────────  ───────  "
      "─────\nBERT   250          45  2 .. 424  21637  0.875  0.850 .. 0.900  -45.5 %\ntiny   100  "
      "         2    1 .. 2  100.0  1.000               -  -50.0 %\n");
}

TEST(FitTable, HasErrorsAndFitFiguresWithDetails) {
  const std::string text = render_fits(
      hand_made_report(), std::vector{group_of("BERT", "250", hand_made_fit())}, {.details = true});
  EXPECT_NE(text.find("beta   ± SE   95 % interval  2x GPUs      R2   sigma  notes\n"),
            std::string::npos)
      << text;
}

TEST(FitTable, OfOneGroupSaysWhatTwiceTheScaleDoes) {
  Fit fit = hand_made_fit();
  fit.x_min = 2;
  fit.x_max = 424;
  fit.speedup = Speedup{.observed = 100, .implied = 109.2};
  fit.warnings = {WarningCode::kCurved};
  const std::string text =
      render_fits(hand_made_report(), std::vector{group_of("BERT", "250", fit)});
  EXPECT_EQ(
      text.substr(0, text.find('\n')),
      "Doubling the GPUs cuts the time of an epoch by 45 % (95 %: 45 to 46 %) on average, as its "
      "points bend away from the law. 424 GPUs are "
      "109 times as fast as 2. The fit has warnings: see below the table.");
}

TEST(FitTable, ExplainsEachWarningOnce) {
  Fit fit = hand_made_fit();
  fit.warnings = {WarningCode::kCurved};
  const std::string text = render_fits(
      hand_made_report(), std::vector{group_of("BERT", "100", fit), group_of("BERT", "250", fit)},
      {.columns = {"model", "warnings"}});
  EXPECT_EQ(text.substr(text.find("model  warnings")),
            "model  warnings\n"
            "─────  ────────\n"
            "BERT   curved\n"
            "BERT   curved\n"
            "\n"
            "curved (model BERT, power_cap_w 100 and 1 other): " +
                explain(WarningCode::kCurved, fit) + "\n");
}

TEST(FitTable, LeavesOutWhatIsSaidOfTheWholeStudy) {
  Fit fit = hand_made_fit();
  fit.warnings = {WarningCode::kEpochsAsRuns, WarningCode::kCurved};
  const std::vector groups{group_of("BERT", "100", fit)};
  FitReport report = hand_made_report();
  report.options.epochs_as_runs = true;
  const std::string table = render_fits(report, groups, {.columns = {"model", "warnings"}});
  EXPECT_EQ(table.find("epochs-as-runs"), std::string::npos);
  EXPECT_NE(table.find("BERT   curved\n"), std::string::npos);
  EXPECT_NE(render_fits(report, groups, {.format = Format::kCsv}).find("epochs-as-runs;curved"),
            std::string::npos);
  EXPECT_EQ(json_of(groups, report)["fits"][0]["warnings"][0]["code"], "epochs-as-runs");
}

TEST(FitTable, ListsGroupsWithoutAFit) {
  const std::string text = render_fits(hand_made_report(), std::vector{failed_group("X", "250")},
                                       {.columns = {"model"}});
  EXPECT_EQ(text,
            "There is no fit: all 3 points have the same gpus.\n\nt = alpha * N^(-beta), x: gpus, "
            "y: epoch_seconds\n\nmodel X, "
            "power_cap_w 250 has no fit: all 3 points have the same gpus (too-few-x)\n");
}

TEST(FitTable, ListsEightFailuresAndCountsTheRest) {
  const std::vector<GroupFit> fits(25, failed_group("X", "250"));
  const std::string text = render_fits(hand_made_report(), fits);
  EXPECT_TRUE(text.ends_with("17 more groups have no fit either; --format csv lists them\n"));
}

TEST(FitTable, KeepsHostileNamesText) {
  const std::vector fits{group_of(kHostileName, "250", hand_made_fit())};
  const auto cell = [&fits](Format format) {
    return render_fits(hand_made_report(), fits, {.format = format, .columns = {"model"}});
  };
  EXPECT_NE(cell(Format::kTable).find("\nit's \"<b>\", a|b_c^{d} \\ `e` $f$ 漢字\\n#;\n"),
            std::string::npos);
  EXPECT_NE(cell(Format::kMarkdown)
                .find("| it's \"&lt;b&gt;\", a\\|b_c^{d} \\\\ \\`e\\` \\$f\\$ 漢字\\\\n\\#; |\n"),
            std::string::npos);
  EXPECT_NE(cell(Format::kLatex)
                .find("it's \\string\"\\textless{}b\\textgreater{}\\string\", "
                      "a\\textbar{}b\\_c\\textasciicircum{}\\{d\\} \\textbackslash{} {`}e{`} "
                      "\\$f\\$ 漢字\\textbackslash{}n\\#; \\\\\n"),
            std::string::npos);
  EXPECT_NE(cell(Format::kHtml)
                .find(">it&#39;s &quot;&lt;b&gt;&quot;, a|b_c^{d} \\ `e` $f$ 漢字\\n#;</td>"),
            std::string::npos);
}

TEST(FitTable, OfALinearLawShowsItsParameters) {
  Fit fit = undefined_fit();
  fit.law = find_law("linear");
  fit.parameters[0].name = "a";
  fit.parameters[1].name = "b";
  FitReport report = hand_made_report();
  report.options.law = fit.law;
  const std::string text = render_fits(report, std::vector{group_of("BERT", "250", fit)});
  EXPECT_NE(text.find("y = a + b * x, x: gpus, y: epoch_seconds\n"), std::string::npos);
  EXPECT_NE(text.find("  95 % of b  "), std::string::npos);
}

TEST(FitLatex, KeepsNotesInComments) {
  Fit fit = hand_made_fit();
  fit.warnings = {WarningCode::kCurved};
  const std::string text = render_fits(
      hand_made_report(), std::vector{group_of("BERT", "250", fit)}, {.format = Format::kLatex});
  EXPECT_TRUE(text.starts_with("% Doubling the GPUs cuts the time of an epoch by 45 %"));
  EXPECT_NE(text.find("\n% t = alpha"), std::string::npos);
  EXPECT_NE(text.find("\\end{tabular}\n% curved (model BERT"), std::string::npos);
}

TEST(GroupName, NamesColumnsAndValues) {
  EXPECT_EQ(group_name(std::vector<std::string>{"model", "cap"}, {"BERT", "250"}),
            "model BERT, cap 250");
  EXPECT_EQ(group_name({}, {}), "all runs");
}

}  // namespace
}  // namespace scalelaw
