"""The published Zeus simulation in short NumPy and pandas form, for comparison with `scalelaw replay`.

    replay_pandas.py TRAIN.csv POWER.csv DATASET [SEEDS]            sequential: recurrences per second
    replay_pandas.py TRAIN.csv POWER.csv --jobs SUBMISSIONS.csv     groups: every run as CSV

Rows are filtered with pandas for every run, as the published simulator does. Every run has the same result
(NumPy 1.24, pandas 1.5).
"""

import sys
import time
import zlib

import numpy as np
import pandas as pd

JOBS = {  # network, optimizer, target, epochs, b0
    "cifar100": ("shufflenetv2", "adadelta", 0.6, 100, 1024),
    "imagenet": ("resnet50", "adadelta", 0.65, 100, 256),
    "squad": ("bert_base_uncased", "adamw", 84.0, 6, 32),
    "librispeech": ("deepspeech2", "adamw", 40.0, 16, 256),
    "movielens-1m": ("ncf", "adam", 0.41, 100, 1024),
    "sentiment140": ("bert_base_uncased", "adamw", 0.84, 10, 128),
}
ETA, BETA = 0.5, 2.0


class Policy:
    """Two rounds of pruning, then Gaussian Thompson sampling."""

    def __init__(self, sizes, default, seed):
        self.sizes, self.default, self.seed = sizes, default, seed
        self.costs, self.arms, self.awaited, self.plan = {s: [] for s in sizes}, None, None, self.exploration()

    def exploration(self):
        for _ in range(2):
            place, good = self.sizes.index(self.default), []
            for direction in (self.sizes[place::-1], self.sizes[place + 1:]):
                for size in direction:
                    self.awaited, self.result = size, None
                    yield size
                    cost, reached = self.result
                    if not reached:
                        break
                    good.append((cost, size))
            self.sizes, self.default = sorted(s for _, s in good), min(good, key=lambda g: g[0])[1]

    def choose(self):
        if self.arms is None:
            for size in self.plan:
                return size
            self.arms, self.rng = self.sizes, np.random.default_rng(self.seed)
        for arm in self.rng.choice(self.arms, len(self.arms), replace=False):
            if len(self.costs[arm]) < 2:
                return arm
        draws = [self.rng.normal(-np.mean(self.costs[a]), np.sqrt(np.var(self.costs[a]) / len(self.costs[a])))
                 for a in self.arms]
        return self.arms[int(np.argmax(draws))]

    def observe(self, size, cost, reached):
        self.costs[size].append(cost)
        if self.arms is None and self.awaited == size:
            self.awaited, self.result = None, (cost, reached)


class Simulator:
    def __init__(self, train, power, dataset, seed):
        network, optimizer, target, self.epochs, default = JOBS[dataset]
        self.rows = train.merge(power)
        self.rows["energy"] = self.rows.time_per_epoch * self.rows.average_power
        self.max_power = self.rows.power_limit.max()
        of_job = self.rows[(self.rows.dataset == dataset) & (self.rows.network == network) & (self.rows.optimizer == optimizer)]
        sizes = sorted(int(s) for s in of_job.batch_size.unique())
        self.key = (dataset, network, optimizer, target)
        self.default = min(default, sizes[-1])
        self.policy, self.limits, self.rng = Policy(sizes, self.default, seed), {}, np.random.default_rng(seed)

    def of_job(self):
        d, n, o, t = self.key
        r = self.rows
        return r[(r.dataset == d) & (r.network == n) & (r.optimizer == o) & (r.target_metric == t)]

    def recurrences(self):
        rows = self.of_job()
        return 2 * rows.batch_size.nunique() * rows.power_limit.nunique()

    def run(self, size, bound):
        """(limit, energy, time, cost, reached); without energy and time if nothing ran."""
        rows = self.of_job()
        rows = rows[rows.batch_size == size]
        most = rows.power_limit.max()
        profiling = size not in self.limits
        if profiling:
            mean = rows.groupby("power_limit").mean(numeric_only=True).sort_index(ascending=False)
            self.limits[size] = ((ETA * mean.average_power + (1 - ETA) * most) * mean.time_per_epoch).idxmin()
        path = rows[rows.power_limit == self.limits[size]].sample(n=1, random_state=self.rng).iloc[0]
        epochs = self.epochs
        if bound != np.inf:
            epochs = min(bound // (ETA * path.energy + (1 - ETA) * most * path.time_per_epoch), epochs)
        if epochs == 0:
            return self.limits[size], 0.0, 0.0, 0.0, False
        reached = bool(path.target_epoch <= epochs)
        epochs = path.target_epoch if reached else epochs
        energy, seconds = path.energy * epochs, path.time_per_epoch * epochs
        if profiling:
            energy = rows.energy.mean() + path.energy * (epochs - 1)
            seconds = rows.time_per_epoch.mean() + path.time_per_epoch * (epochs - 1)
        return self.limits[size], energy, seconds, ETA * energy + (1 - ETA) * self.max_power * seconds, reached

    def one_after_the_other(self):
        history, least = [], np.inf
        for _ in range(self.recurrences()):
            spent, reached = 0.0, False
            while not reached:
                size = self.policy.choose()
                limit, energy, seconds, cost, reached = self.run(size, BETA * least)
                if energy == 0 and seconds == 0:
                    self.policy.observe(size, 100 * BETA * least, False)
                    continue
                spent += cost
                self.policy.observe(size, cost, reached)
                history.append((size, limit, energy, seconds, reached))
            least = min(least, spent)
        return history

    def group(self, submissions):
        """A row (submission, size, limit, energy, time, reached) for every run, in the order of their ends."""
        history, flying, state = [], [], [np.inf, self.default]

        def launch(number, start, end, ratio):
            size = state[1] if flying else self.policy.choose()
            flying.append((number, start, end, ratio, size, *self.run(size, BETA * state[0])))

        def finish(now):
            while flying and min(f[2] for f in flying) <= now:
                job = flying.pop(min(range(len(flying)), key=lambda i: flying[i][2]))
                number, start, end, ratio, size, limit, energy, seconds, cost, reached = job
                self.policy.observe(size, cost, reached)
                if energy or seconds:
                    history.append((number, size, limit, energy * ratio, seconds * ratio, reached))
                if not reached:
                    launch(number, end, 2 * end - start, ratio)
                elif cost < state[0]:
                    state[:] = cost, size

        for number, row in enumerate(submissions.itertuples(), 1):
            finish(row.start_time)
            launch(number, row.start_time, row.end_time, row.runtime_ratio)
        finish(np.inf)
        return history


def main():
    train, power = pd.read_csv(sys.argv[1]), pd.read_csv(sys.argv[2])
    if sys.argv[3] == "--jobs":
        print("group,dataset,submission,batch_size,power_limit,energy_j,time_s,reached")
        for name, rows in pd.read_csv(sys.argv[4], dtype={"group": str}).groupby("group"):
            dataset = rows.dataset.iloc[0]
            for run in Simulator(train, power, dataset, zlib.adler32(name.encode())).group(rows):
                print(name, dataset, *run, sep=",")
        return
    recurrences, taken = 0, 0.0
    for seed in range(1, 1 + int(sys.argv[4] if len(sys.argv) > 4 else 1)):
        simulator = Simulator(train, power, sys.argv[3], seed)
        start = time.perf_counter()
        history = simulator.one_after_the_other()
        taken += time.perf_counter() - start
        recurrences += simulator.recurrences()
        print(f"seed {seed}: {len(history)} runs, {sum(h[2] for h in history):.6e} J, {sum(h[3] for h in history):.6e} s")
    print(f"{recurrences} recurrences in {taken:.2f} s: {recurrences / taken:.0f} a second")


main()
