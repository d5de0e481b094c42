import functools
import random

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
EMPTY = " "


def winner(board):
    for a, b, c in LINES:
        if board[a] != EMPTY and board[a] == board[b] == board[c]:
            return board[a]
    return None


def moves(board):
    return [index for index, cell in enumerate(board) if cell == EMPTY]


def play(board, index, player):
    return board[:index] + player + board[index + 1:]


def other(player):
    return "O" if player == "X" else "X"


@functools.lru_cache(maxsize=None)
def score(board, player, me):
    won = winner(board)
    if won:
        return 1 if won == me else -1
    options = moves(board)
    if not options:
        return 0
    results = [score(play(board, index, player), other(player), me) for index in options]
    return max(results) if player == me else min(results)


def best_move(board, player):
    rated = [(score(play(board, index, player), other(player), player), random.random(), index) for index in moves(board)]
    return max(rated)[2]


def show(board):
    rows = [" | ".join(board[start:start + 3]) for start in (0, 3, 6)]
    print("\n---------\n".join(rows))


def ask(board):
    while True:
        text = input("your move (1-9): ")
        if text.isdigit() and int(text) - 1 in moves(board):
            return int(text) - 1
        print("not possible")


def game(human="X"):
    board, player = EMPTY * 9, "X"
    while winner(board) is None and moves(board):
        show(board)
        index = ask(board) if player == human else best_move(board, player)
        board = play(board, index, player)
        player = other(player)
    show(board)
    print("winner:", winner(board) or "nobody")


if __name__ == "__main__":
    game(random.choice("XO"))
