"""bootstrap_numpy.py FILE RESAMPLES: a vectorised residual bootstrap of every group's slope."""
import sys

import numpy as np
import pandas as pd

table, resamples, rng = pd.read_csv(sys.argv[1]), int(sys.argv[2]), np.random.default_rng(1)
print("model,power_cap_w,clock_mhz,slope,lower,upper")
for key, group in table.groupby(["model", "power_cap_w", "clock_mhz"]):
    x, y = np.log(group.gpu_count.to_numpy()), np.log(group.epoch_seconds.to_numpy())
    x = x - x.mean()
    slope = (x * y).sum() / (x * x).sum()
    residuals = y - y.mean() - slope * x
    drawn = residuals[rng.integers(0, len(x), (resamples, len(x)))]
    slopes = slope + (x * drawn).sum(-1) / (x * x).sum()
    print(*key, slope, *np.percentile(slopes, [2.5, 97.5]), sep=",")
