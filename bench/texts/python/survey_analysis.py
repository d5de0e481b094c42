# Notebook export: survey analysis
import json
import textwrap

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import pyplot as plt
from scipy import stats

pd.set_option("display.max_columns", 40)
sns.set_theme(style="whitegrid")

raw = pd.read_csv("survey.csv", na_values=["", "n/a", "-"])
print(raw.shape)
print(raw.isna().mean().sort_values(ascending=False).head(10))

LIKERT = {"strongly disagree": 1, "disagree": 2, "neutral": 3, "agree": 4, "strongly agree": 5}
QUESTIONS = [column for column in raw.columns if column.startswith("q")]


def to_numbers(frame):
    out = frame.copy()
    for column in QUESTIONS:
        out[column] = out[column].str.strip().str.lower().map(LIKERT)
    return out


def drop_careless(frame, limit=0.2):
    answered = frame[QUESTIONS].notna().mean(axis=1)
    varied = frame[QUESTIONS].std(axis=1)
    kept = frame[(answered > 1 - limit) & (varied > 0.1)]
    print(f"dropped {len(frame) - len(kept)} of {len(frame)}")
    return kept


def cronbach_alpha(items):
    items = items.dropna()
    count = items.shape[1]
    return count / (count - 1) * (1 - items.var(ddof=1).sum() / items.sum(axis=1).var(ddof=1))


def compare(frame, column, group):
    samples = [part[column].dropna() for _, part in frame.groupby(group)]
    statistic, p = stats.kruskal(*samples)
    return {"question": column, "statistic": round(float(statistic), 3), "p": float(p)}


def wrap(label, width=30):
    return "\n".join(textwrap.wrap(label, width))


def save(name):
    plt.tight_layout()
    plt.savefig(f"figures/{name}.png", dpi=150)
    plt.close()


data = drop_careless(to_numbers(raw))
print("alpha:", cronbach_alpha(data[QUESTIONS]))

results = pd.DataFrame([compare(data, column, "department") for column in QUESTIONS])
results["significant"] = results["p"] < 0.05 / len(QUESTIONS)
print(results.sort_values("p").head())

means = data.groupby("department")[QUESTIONS].mean()
plt.figure(figsize=(12, 5))
sns.heatmap(means, annot=True, fmt=".1f", cmap="vlag", center=3)
save("heatmap")

for column in results.loc[results["significant"], "question"]:
    plt.figure(figsize=(6, 4))
    sns.boxplot(data=data, x="department", y=column)
    plt.title(wrap(column))
    save(f"box_{column}")

counts, edges = np.histogram(data["age"].dropna(), bins=range(15, 80, 5))
with open("figures/age.json", "w") as handle:
    json.dump({"counts": counts.tolist(), "edges": edges.tolist()}, handle)
