#!/usr/bin/env python3
"""sl.fit gives what statsmodels gives: ordinary least squares of ln(seconds) on ln(gpus), to nine digits.

Three groups are compared with stored numbers of statsmodels 0.13.5, all groups with statsmodels itself where it is installed."""
import unittest

import scalelaw as sl

DEMO = "data/demo/runs.csv"
BY = ["model", "power_cap_w", "clock_mhz"]
# beta, its standard error and 95 % interval, alpha, standard error of ln(alpha), R2.
STORED = {
    ("BERT", 100, 1380): (0.906570047252, 0.00482673097817, 0.896629208718, 0.916510885785, 33585.6280404, 0.0186669440985, 0.999291832809),
    ("BERT", 200, 1380): (0.856197438257, 0.00597760981749, 0.843886320384, 0.868508556129, 21468.1055627, 0.0231178635831, 0.998782922047),
    ("BERT", 250, 1380): (0.875380734753, 0.00660130194958, 0.861785098889, 0.888976370616, 21636.5072852, 0.0255299363125, 0.998580327264),
}


class Statsmodels(unittest.TestCase):
    def setUp(self):
        self.fits = sl.fit(DEMO, x="gpus", y="epoch_seconds", by=BY)

    def assert_same(self, group, expected):
        fit = self.fits[group]
        found = (fit.beta.estimate, fit.beta.se, *fit.beta.ci, fit.alpha.estimate, fit.log_alpha.se, fit.r2)
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one / other, 1, 9, f"{group}: {found}")

    def test_stored_numbers(self):
        for group, expected in STORED.items():
            self.assert_same(group, expected)

    def test_statsmodels_itself(self):
        try:
            import numpy
            import pandas
            import statsmodels.api
        except ImportError:
            self.skipTest("statsmodels is not installed")
        groups = pandas.read_csv(DEMO).groupby(BY)
        self.assertEqual(len(groups), len(self.fits))
        for group, runs in groups:
            line = statsmodels.api.OLS(numpy.log(runs.epoch_seconds), statsmodels.api.add_constant(numpy.log(runs.gpus))).fit()
            low, high = line.conf_int().loc["gpus"]
            self.assert_same(group, (-line.params["gpus"], line.bse["gpus"], -high, -low, numpy.exp(line.params["const"]), line.bse["const"],
                                     line.rsquared))


if __name__ == "__main__":
    unittest.main()
