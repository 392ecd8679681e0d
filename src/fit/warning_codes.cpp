// The one table of the codes of warnings: their names, and what `scalelaw help CODE` says.

#include "scalelaw/fit/warning_codes.hpp"

#include <array>
#include <cstddef>

#include "scalelaw/fit/fit.hpp"

namespace scalelaw {
namespace {

constexpr std::array kWarnings{
    CodeHelp{
        "few-points", "there are too few runs for narrow intervals or a check of the law",
        "The group has fewer than five runs (six with a bootstrap, two per parameter for a law "
        "of two scales). Intervals are wide, and the checks of the law find little.",
        "Measure more runs. scalelaw plan tells which ones help most."},
    CodeHelp{"few-x", "there are too few different scales to see a bend",
             "The runs were made at fewer than four different scales, so a bend of the curve would "
             "go unseen.",
             "Measure at more scales before you extrapolate."},
    CodeHelp{
        "epochs-as-runs", "rows may be epochs of one run: standard errors are then too small",
        "The table names runs, and some run has several rows, but every row counts as a run of "
        "its own. Epochs of one run are alike, so the intervals are too narrow.",
        "Name the column of the run: --run COL makes one point of each run."},
    CodeHelp{"curved", "the points bend away from the law: do not extrapolate it",
             "A curve with one more bend describes the points clearly better (p below 0.01). The "
             "exponent is only an average over the measured range.",
             "Do not extrapolate this law. scalelaw rank compares it with others, and scalelaw "
             "predict forecasts from several laws together."},
    CodeHelp{"lack-of-fit", "the means lie further from the law than repeated runs scatter",
             "Repeated runs at one scale agree better with one another than their means agree with "
             "the curve (p below 0.01).",
             "Look for another law with scalelaw rank, or for a scale at which something else "
             "changed, such as the batch size or the network."},
    CodeHelp{
        "influential", "one run alone moves the law: check that run",
        "The law would be clearly different without one of the runs, more than chance explains.",
        "Check that run, repeat it, or give it less weight with --robust huber."},
    CodeHelp{
        "heteroscedastic", "the scatter changes with the scale: standard errors are wrong",
        "Runs at some scales scatter more than at others, while the standard errors assume the "
        "same scatter everywhere (p below 0.01).",
        "Use standard errors that do not assume it: --se hc3, or --se hc2-bm for few runs."},
    CodeHelp{
        "overpredicts-speedup", "the law promises more speedup than was measured",
        "From the smallest to the largest scale the curve gains over 1.2 times the speedup that "
        "was measured, so the exponent is too good for the largest runs.",
        "Do not promise the exponent for large scales. Compare laws that flatten out: scalelaw "
        "rank, or --law floor, amdahl or usl."},
    CodeHelp{
        "short-range", "the scales span less than a factor of 10: the exponent holds only there",
        "The largest scale is less than ten times the smallest, so the exponent holds for this "
        "range and not beyond.",
        "Measure smaller and larger scales before you extrapolate."},
    CodeHelp{
        "on-bound", "a parameter is at the end of its range",
        "The best value of a parameter is the least or greatest one that the law allows. Often "
        "it is 0, and a simpler law describes the runs as well.",
        "Try a simpler law with --law power. The errors of the other parameters assume that this "
        "one is exact."},
    CodeHelp{"lone-minimum", "only one of many searches found the best fit: a better one may exist",
             "The search for a law of two scales started at many places, and only one of them led "
             "to the best fit, so there may be a better one.",
             "Look at the fit with scalelaw plot surface, leave odd runs out, or measure more."},
    CodeHelp{
        "open-interval", "an interval has no end: the runs do not bound that parameter",
        "The runs agree with values of this parameter that are as large, or as small, as you like.",
        "Measure more runs over wider ranges of both scales."},
    CodeHelp{"failed-refits", "too many bootstrap fits failed, so there are no intervals",
             "Fewer than nine in ten of the resampled tables could be fitted, so the bootstrap "
             "gives no intervals.",
             "Measure more runs, because these hardly determine the law."},
    CodeHelp{
        "outlier", "one run lies far from the law: check whether it failed",
        "One run is so far from the curve that chance would do it in fewer than 2 % of tables.",
        "Check whether the run failed. Leave it out with --where, repeat it, or give it less "
        "weight with --robust huber."},
    CodeHelp{
        "flat", "the interval of beta includes 0: no change with the scale is shown",
        "These runs do not show that what was measured changes with the scale at all.",
        "Measure more runs or a wider range, and check that -x and -y name the right columns."},
    CodeHelp{"few-clusters", "there are too few runs for clustered standard errors",
             "--se cluster and --se cr2 learn from how runs differ, and there are too few of them.",
             "Use --se cr2, which needs three runs and does not go with --share, or measure more "
             "runs."},
    CodeHelp{"unequal-scatter", "groups scatter differently: one scatter for all is wrong for some",
             "--pool assumes the same scatter for all groups, but some groups scatter clearly more "
             "than others (p below 0.01).",
             "Leave --pool out, or pool only groups that are alike."},
    CodeHelp{"outlying-slope", "the exponent lies far from those of the other groups",
             "--pool slopes moves exponents towards one another, and this group's own exponent is "
             "too far from the others to be one of them.",
             "Find out why this group differs, or leave it out with --where."},
    CodeHelp{"near-minimum", "another fit is nearly as good: the runs hardly choose between them",
             "The search from many places found another minimum, at other parameters, whose "
             "objective is within 1 % of the lowest one.",
             "Report both (they stand in the warning and as other_minima in JSON), or hold a "
             "parameter near one of them with --bound or --fix."}};

}  // namespace

std::span<const CodeHelp> warning_codes() { return kWarnings; }

std::string_view name_of(WarningCode code) {
  const auto place = static_cast<std::size_t>(code);
  return place < kWarnings.size() ? kWarnings[place].code : "unknown";
}

}  // namespace scalelaw
