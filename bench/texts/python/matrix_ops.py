import math
import random


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
        self.height = len(self.rows)
        self.width = len(self.rows[0]) if self.rows else 0

    @classmethod
    def identity(cls, size):
        return cls([[1.0 if i == j else 0.0 for j in range(size)] for i in range(size)])

    @classmethod
    def random(cls, height, width):
        return cls([[random.uniform(-1, 1) for _ in range(width)] for _ in range(height)])

    def __getitem__(self, index):
        return self.rows[index]

    def column(self, j):
        return [row[j] for row in self.rows]

    def transpose(self):
        return Matrix([self.column(j) for j in range(self.width)])

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def __matmul__(self, other):
        columns = [other.column(j) for j in range(other.width)]
        return Matrix([[dot(row, column) for column in columns] for row in self.rows])

    def scale(self, factor):
        return Matrix([[factor * value for value in row] for row in self.rows])

    def minor(self, i, j):
        return Matrix([row[:j] + row[j + 1:] for k, row in enumerate(self.rows) if k != i])

    def determinant(self):
        if self.height == 1:
            return self.rows[0][0]
        return sum((-1) ** j * self.rows[0][j] * self.minor(0, j).determinant() for j in range(self.width))

    def solve(self, vector):
        rows = [list(row) + [value] for row, value in zip(self.rows, vector)]
        size = len(rows)
        for i in range(size):
            pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
            rows[i], rows[pivot] = rows[pivot], rows[i]
            for k in range(i + 1, size):
                factor = rows[k][i] / rows[i][i]
                for j in range(i, size + 1):
                    rows[k][j] -= factor * rows[i][j]
        result = [0.0] * size
        for i in reversed(range(size)):
            known = sum(rows[i][j] * result[j] for j in range(i + 1, size))
            result[i] = (rows[i][size] - known) / rows[i][i]
        return result


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def norm(vector):
    return math.sqrt(dot(vector, vector))


def power_iteration(matrix, steps=100):
    vector = [1.0] * matrix.width
    for _ in range(steps):
        vector = [dot(row, vector) for row in matrix.rows]
        length = norm(vector)
        vector = [value / length for value in vector]
    return dot(vector, [dot(row, vector) for row in matrix.rows]), vector


if __name__ == "__main__":
    a = Matrix([[4, 1, 2], [1, 3, 0], [2, 0, 5]])
    b = Matrix.random(3, 3)
    print((a @ b + Matrix.identity(3).scale(2)).rows)
    print(a.determinant(), a.transpose().rows)
    print(a.solve([1, 2, 3]))
    print(power_iteration(a))
