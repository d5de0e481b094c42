import curses
import random

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
KEYS = {curses.KEY_UP: UP, curses.KEY_DOWN: DOWN, curses.KEY_LEFT: LEFT, curses.KEY_RIGHT: RIGHT}


class Snake:
    def __init__(self, height, width):
        self.height, self.width = height, width
        middle = (height // 2, width // 2)
        self.body = [middle, (middle[0], middle[1] - 1)]
        self.direction = RIGHT
        self.food = self.place_food()
        self.score = 0
        self.alive = True

    def place_food(self):
        while True:
            spot = (random.randrange(1, self.height - 1), random.randrange(1, self.width - 1))
            if spot not in self.body:
                return spot

    def turn(self, direction):
        dy, dx = self.direction
        if direction != (-dy, -dx):
            self.direction = direction

    def head(self):
        y, x = self.body[0]
        dy, dx = self.direction
        return y + dy, x + dx

    def hits(self, spot):
        y, x = spot
        return y in (0, self.height - 1) or x in (0, self.width - 1) or spot in self.body

    def step(self):
        spot = self.head()
        if self.hits(spot):
            self.alive = False
            return
        self.body.insert(0, spot)
        if spot == self.food:
            self.score += 1
            self.food = self.place_food()
        else:
            self.body.pop()


def draw(window, game):
    window.erase()
    window.border()
    window.addstr(0, 2, f" score {game.score} ")
    window.addch(*game.food, "*")
    for index, (y, x) in enumerate(game.body):
        window.addch(y, x, "@" if index == 0 else "o")
    window.refresh()


def play(window):
    curses.curs_set(0)
    window.nodelay(True)
    game = Snake(*window.getmaxyx())
    while game.alive:
        key = window.getch()
        if key == ord("q"):
            break
        if key in KEYS:
            game.turn(KEYS[key])
        game.step()
        draw(window, game)
        curses.napms(max(40, 120 - 3 * game.score))
    return game.score


print("score:", curses.wrapper(play))
