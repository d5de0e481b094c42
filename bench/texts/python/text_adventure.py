import random
import textwrap


class Item:
    def __init__(self, name, description, weight=1):
        self.name = name
        self.description = description
        self.weight = weight

    def __str__(self):
        return self.name


class Room:
    def __init__(self, name, description):
        self.name = name
        self.description = description
        self.exits = {}
        self.items = []
        self.visited = False

    def connect(self, direction, other, back=None):
        self.exits[direction] = other
        other.exits[back or OPPOSITE[direction]] = self

    def describe(self):
        lines = [self.name.upper()]
        if not self.visited:
            lines.append(textwrap.fill(self.description, 70))
        if self.items:
            lines.append("You see: " + ", ".join(map(str, self.items)))
        lines.append("Exits: " + ", ".join(sorted(self.exits)))
        self.visited = True
        return "\n".join(lines)

    def take(self, name):
        for item in self.items:
            if item.name == name:
                self.items.remove(item)
                return item
        return None


OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east", "up": "down", "down": "up"}


class Player:
    def __init__(self, room, capacity=5):
        self.room = room
        self.capacity = capacity
        self.inventory = []
        self.score = 0

    def load(self):
        return sum(item.weight for item in self.inventory)

    def has(self, name):
        return any(item.name == name for item in self.inventory)


class Game:
    def __init__(self):
        self.player = Player(build_world())
        self.running = True
        self.turns = 0
        self.commands = {
            "go": self.go,
            "take": self.take,
            "drop": self.drop,
            "look": self.look,
            "inventory": self.inventory,
            "quit": self.quit,
        }

    def say(self, text):
        print(text)

    def go(self, direction):
        target = self.player.room.exits.get(direction)
        if target is None:
            return self.say("You cannot go that way.")
        if target.name == "Vault" and not self.player.has("key"):
            return self.say("The door is locked.")
        self.player.room = target
        self.look("")

    def take(self, name):
        item = self.player.room.take(name)
        if item is None:
            return self.say(f"There is no {name} here.")
        if self.player.load() + item.weight > self.player.capacity:
            self.player.room.items.append(item)
            return self.say("You carry too much.")
        self.player.inventory.append(item)
        self.player.score += 10
        self.say(f"Taken: {item}. {item.description}")

    def drop(self, name):
        for item in list(self.player.inventory):
            if item.name == name:
                self.player.inventory.remove(item)
                self.player.room.items.append(item)
                return self.say(f"Dropped {name}.")
        self.say("You do not have that.")

    def look(self, _):
        self.say(self.player.room.describe())

    def inventory(self, _):
        names = ", ".join(map(str, self.player.inventory)) or "nothing"
        self.say(f"You carry {names}. Score: {self.player.score}")

    def quit(self, _):
        self.running = False
        self.say(f"Goodbye. {self.turns} turns, {self.player.score} points.")

    def step(self, line):
        verb, _, rest = line.strip().lower().partition(" ")
        verb = next((name for name in self.commands if name.startswith(verb)), None) if verb else None
        if verb is None:
            return self.say(random.choice(["What?", "I do not understand.", "Pardon?"]))
        self.turns += 1
        self.commands[verb](rest.strip())

    def play(self):
        self.look("")
        while self.running:
            try:
                self.step(input("> "))
            except EOFError:
                self.quit("")


def build_world():
    hall = Room("Hall", "A dusty hall with portraits on every wall. A clock ticks somewhere.")
    library = Room("Library", "Shelves up to the ceiling, most of them empty.")
    cellar = Room("Cellar", "It is damp and smells of old wine.")
    vault = Room("Vault", "A small room behind a heavy door.")
    hall.connect("north", library)
    hall.connect("down", cellar)
    cellar.connect("east", vault)
    hall.items.append(Item("lamp", "It still has oil."))
    library.items.append(Item("book", "A treatise on bees.", 2))
    library.items.append(Item("key", "Small and rusty."))
    vault.items.append(Item("crown", "Heavier than it looks.", 3))
    return hall


if __name__ == "__main__":
    Game().play()
