"""interleave.py ROUNDS REFERENCE LABEL=COMMAND ...: times whole processes in turn, so that a drift of the machine affects
all alike. Prints a Markdown table: wall seconds, processor seconds, peak memory, and the median over rounds of the ratio of
wall times to the reference. A first round does not count. Output goes to /dev/null."""
import os
import shlex
import statistics
import sys
import time


def run(command):
    null = os.open(os.devnull, os.O_WRONLY)
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(null, 1)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    wall = time.monotonic() - start
    os.close(null)
    if status != 0:
        sys.exit(f"failed: {shlex.join(command)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


rounds, reference = int(sys.argv[1]), sys.argv[2]
commands = {label: shlex.split(text) for label, text in (a.split("=", 1) for a in sys.argv[3:])}
results = {label: [] for label in commands}
for k in range(rounds + 1):
    for label, command in commands.items():
        measured = run(command)
        if k > 0:
            results[label].append(measured)
print("| program | wall s, median [min-max] | cpu s | peak MiB | ratio |\n|---|---|---|---|---|")
for label, runs in results.items():
    wall = [r[0] for r in runs]
    ratio = statistics.median(a[0] / b[0] for a, b in zip(runs, results[reference]))
    print(f"| {label} | {statistics.median(wall):.4f} [{min(wall):.4f}-{max(wall):.4f}] | {statistics.median(r[1] for r in runs):.3f} "
          f"| {max(r[2] for r in runs):.0f} | {ratio:.3f} |")
