#!/usr/bin/env python3
"""The time of one long log of a trainer, beside the loop of a regular expression that people write.

usage: bench/logs.py build/bench/bin/scalelaw [--steps 1000000] [--repeats 5]

Each figure is the median wall time over repeats, in turns, with the log in the page cache. The loop
reads the numbers of a step and takes the median of the times, and does nothing else; on the whole log
it runs once.
The target is 0.5 s for a million steps (155 MB) on two threads.
"""
import argparse
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

HEAD = ("using world size: 64, data-parallel size: 8, context-parallel size: 1, "
        "tensor-model-parallel size: 4, pipeline-model-parallel size: 2\n"
        "  micro_batch_size ................................ 2\n"
        "  global_batch_size ............................... 256\n"
        "  seq_length ...................................... 4096\n")
STEP = re.compile(r"iteration +(\d+)/ *(\d+) \| consumed samples: +(\d+) \| "
                  r"elapsed time per iteration \(ms\): ([\d.]+) \|.* lm loss: ([\d.E+-]+) \|")


def write_log(path, steps):
    random.seed(3)
    with open(path, "w") as log:
        log.write(HEAD)
        for step in range(1, steps + 1):
            log.write(f" iteration {step:8d}/ {steps} | consumed samples: {256 * step:12d} | "
                      f"elapsed time per iteration (ms): {2010 + 20 * random.random():.1f} | "
                      f"learning rate: 1.5E-04 | lm loss: {8.1 + random.random():.6E} |\n")


def median_of_loop(path):
    found = (STEP.search(line) for line in open(path))
    steps = [(int(m[1]), int(m[3]), float(m[4]), float(m[5])) for m in found if m]
    return statistics.median(step[2] for step in steps)


def seconds(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scalelaw")
    parser.add_argument("--steps", type=int, default=1000000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "train.log"
        write_log(log, options.steps)

        def ingest(threads):
            words = [options.scalelaw, "ingest", str(log), "--threads", str(threads)]
            subprocess.run(words, check=True, capture_output=True)

        times = {threads: [] for threads in (1, 2)}
        for _ in range(options.repeats):
            for threads, side in times.items():
                side.append(seconds(lambda: ingest(threads)))
        loop = seconds(lambda: median_of_loop(log))
        print(f"{options.steps} steps, {log.stat().st_size / 1e6:.0f} MB: a loop in Python {loop:.2f} s")
        for threads, side in times.items():
            wall = statistics.median(side)
            print(f"{threads} thread{'s' * (threads > 1)}: {wall:.3f} s ({min(side):.3f} to "
                  f"{max(side):.3f}), ratio {wall / loop:.3f}")


if __name__ == "__main__":
    main()
