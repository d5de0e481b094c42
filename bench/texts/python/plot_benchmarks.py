import glob
import json
import os
import statistics

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLORS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd"]
OUT = "plots"


def load(pattern="results/*.json"):
    runs = {}
    for path in sorted(glob.glob(pattern)):
        with open(path) as f:
            runs[os.path.splitext(os.path.basename(path))[0]] = json.load(f)
    return runs


def names_of(runs):
    found = []
    for run in runs.values():
        for entry in run["benchmarks"]:
            if entry["name"] not in found:
                found.append(entry["name"])
    return found


def series(runs, name, field="median"):
    values = []
    for run in runs.values():
        entry = next((e for e in run["benchmarks"] if e["name"] == name), None)
        values.append(entry["stats"][field] * 1000 if entry else np.nan)
    return np.array(values)


def relative(values):
    base = values[0] if values[0] else 1
    return values / base


def style(ax, title, ylabel):
    ax.set_title(title)
    ax.set_ylabel(ylabel)
    ax.grid(True, alpha=0.3)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def save(fig, name):
    os.makedirs(OUT, exist_ok=True)
    path = os.path.join(OUT, name)
    fig.tight_layout()
    fig.savefig(path, dpi=150)
    plt.close(fig)
    print("wrote", path)


def plot_trend(runs, names):
    fig, ax = plt.subplots(figsize=(10, 5))
    for i, name in enumerate(names):
        ax.plot(list(runs), relative(series(runs, name)), marker="o", label=name, color=COLORS[i % len(COLORS)])
    style(ax, "Relative to first run", "ratio")
    ax.legend(fontsize="small")
    ax.tick_params(axis="x", rotation=30)
    save(fig, "trend.png")


def plot_bars(runs, names):
    fig, ax = plt.subplots(figsize=(10, 5))
    width = 0.8 / max(len(runs), 1)
    x = np.arange(len(names))
    for i, (label, run) in enumerate(runs.items()):
        values = [series({label: run}, name)[0] for name in names]
        errors = [series({label: run}, name, "stddev")[0] for name in names]
        ax.bar(x + i * width, values, width, yerr=errors, label=label, color=COLORS[i % len(COLORS)])
    style(ax, "Median time", "ms")
    ax.set_xticks(x + width * (len(runs) - 1) / 2, names, rotation=30, ha="right")
    ax.legend()
    save(fig, "bars.png")


def table(runs, names):
    width = max(map(len, names), default=10)
    print(" " * width, *(f"{label:>12}" for label in runs))
    for name in names:
        print(name.ljust(width), *(f"{value:12.3f}" for value in series(runs, name)))
    geo = [statistics.geometric_mean(series({label: run}, name)[0] for name in names) for label, run in runs.items()]
    print("geomean".ljust(width), *(f"{value:12.3f}" for value in geo))


if __name__ == "__main__":
    runs = load()
    if not runs:
        raise SystemExit("no results found")
    names = names_of(runs)
    table(runs, names)
    plot_trend(runs, names)
    plot_bars(runs, names)
