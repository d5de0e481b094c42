import itertools
import math
import random
from collections import defaultdict


class Player:
    def __init__(self, name, rating=1500.0):
        self.name = name
        self.rating = rating
        self.wins = self.losses = self.draws = 0

    def expected(self, other):
        return 1 / (1 + math.pow(10, (other.rating - self.rating) / 400))

    def update(self, other, score, k=24):
        change = k * (score - self.expected(other))
        self.rating += change
        return change

    @property
    def games(self):
        return self.wins + self.losses + self.draws

    def record(self, score):
        if score == 1:
            self.wins += 1
        elif score == 0:
            self.losses += 1
        else:
            self.draws += 1

    def __repr__(self):
        return f"{self.name} ({self.rating:.0f})"


def play(first, second, rng):
    chance = first.expected(second)
    roll = rng.random()
    score = 1.0 if roll < chance * 0.9 else 0.5 if roll < chance * 0.9 + 0.1 else 0.0
    before = first.rating, second.rating
    first.update(second, score)
    second.rating += before[0] - first.rating
    first.record(score)
    second.record(1 - score)
    return score


def round_robin(players, rng):
    table = defaultdict(float)
    for first, second in itertools.combinations(players, 2):
        score = play(first, second, rng)
        table[first] += score
        table[second] += 1 - score
    return table


def knockout(players, rng):
    players = list(players)
    rng.shuffle(players)
    number = 1
    while len(players) > 1:
        winners = []
        for first, second in zip(players[::2], players[1::2]):
            score = play(first, second, rng)
            while score == 0.5:
                score = play(first, second, rng)
            winners.append(first if score == 1 else second)
        if len(players) % 2:
            winners.append(players[-1])
        print(f"round {number}: {winners}")
        players, number = winners, number + 1
    return players[0]


def standings(table):
    ranked = sorted(table.items(), key=lambda item: (-item[1], -item[0].rating))
    for place, (player, points) in enumerate(ranked, 1):
        print(f"{place:2d}. {player.name:<10} {points:4.1f}  {player.wins}-{player.draws}-{player.losses}")


def simulate(names, seasons=10, seed=None):
    rng = random.Random(seed)
    players = [Player(name) for name in names]
    for _ in range(seasons):
        table = round_robin(players, rng)
    standings(table)
    print("champion:", knockout(players, rng))


simulate(["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana"], seasons=25, seed=3)
