import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def load(path):
    frame = pd.read_csv(path)
    numeric = frame.select_dtypes("number").dropna()
    return frame.loc[numeric.index], numeric.to_numpy()


def scale(data):
    return (data - data.mean(axis=0)) / data.std(axis=0)


def distances(data, centers):
    return np.linalg.norm(data[:, None, :] - centers[None, :, :], axis=2)


def seed(data, k, rng):
    centers = [data[rng.integers(len(data))]]
    while len(centers) < k:
        nearest = distances(data, np.array(centers)).min(axis=1) ** 2
        centers.append(data[rng.choice(len(data), p=nearest / nearest.sum())])
    return np.array(centers)


def kmeans(data, k, rng, steps=100, tolerance=1e-6):
    centers = seed(data, k, rng)
    for _ in range(steps):
        labels = distances(data, centers).argmin(axis=1)
        moved = np.array([data[labels == i].mean(axis=0) if (labels == i).any() else centers[i] for i in range(k)])
        if np.abs(moved - centers).max() < tolerance:
            break
        centers = moved
    return centers, labels


def inertia(data, centers, labels):
    return float(((data - centers[labels]) ** 2).sum())


def best_of(data, k, tries=10):
    rng = np.random.default_rng(0)
    runs = [kmeans(data, k, rng) for _ in range(tries)]
    return min(runs, key=lambda run: inertia(data, *run))


def elbow(data, limit=10):
    return [inertia(data, *best_of(data, k)) for k in range(1, limit + 1)]


def plot(data, labels, centers, path):
    fig, ax = plt.subplots()
    ax.scatter(data[:, 0], data[:, 1], c=labels, s=12)
    ax.scatter(centers[:, 0], centers[:, 1], marker="x", c="black")
    fig.savefig(path, dpi=120)


if __name__ == "__main__":
    frame, raw = load(sys.argv[1])
    data = scale(raw)
    print(elbow(data))
    centers, labels = best_of(data, 4)
    frame.assign(cluster=labels).to_csv("clusters.csv", index=False)
    plot(data, labels, centers, "clusters.png")
