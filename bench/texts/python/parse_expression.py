"""A calculator: tokens, a recursive descent parser, and an evaluator."""
import math
import operator
import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|([A-Za-z_]\w*)|(\*\*|[-+*/%(),=]))")


class ParseError(ValueError):
    def __init__(self, message, position):
        super().__init__(f"{message} at {position}")
        self.position = position


def tokenize(text):
    position = 0
    tokens = []
    while position < len(text):
        if text[position:].strip() == "":
            break
        match = TOKEN.match(text, position)
        if not match:
            raise ParseError(f"unexpected {text[position]!r}", position)
        number, name, sign = match.groups()
        if number:
            tokens.append(("number", float(number), position))
        elif name:
            tokens.append(("name", name, position))
        else:
            tokens.append(("sign", sign, position))
        position = match.end()
    tokens.append(("end", None, position))
    return tokens


class Number:
    def __init__(self, value):
        self.value = value

    def evaluate(self, scope):
        return self.value


class Name:
    def __init__(self, name):
        self.name = name

    def evaluate(self, scope):
        if self.name not in scope:
            raise NameError(self.name)
        return scope[self.name]


class Binary:
    OPERATORS = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "%": operator.mod,
        "**": operator.pow,
    }

    def __init__(self, sign, left, right):
        self.sign, self.left, self.right = sign, left, right

    def evaluate(self, scope):
        return self.OPERATORS[self.sign](self.left.evaluate(scope), self.right.evaluate(scope))


class Negate:
    def __init__(self, inner):
        self.inner = inner

    def evaluate(self, scope):
        return -self.inner.evaluate(scope)


class Call:
    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments

    def evaluate(self, scope):
        return scope[self.function](*(argument.evaluate(scope) for argument in self.arguments))


class Assign:
    def __init__(self, name, value):
        self.name, self.value = name, value

    def evaluate(self, scope):
        scope[self.name] = self.value.evaluate(scope)
        return scope[self.name]


class Parser:
    def __init__(self, text):
        self.tokens = tokenize(text)
        self.index = 0

    @property
    def current(self):
        return self.tokens[self.index]

    def advance(self):
        token = self.current
        self.index += 1
        return token

    def accept(self, *signs):
        kind, value, _ = self.current
        if kind == "sign" and value in signs:
            return self.advance()[1]
        return None

    def expect(self, sign):
        if not self.accept(sign):
            raise ParseError(f"expected {sign!r}", self.current[2])

    def parse(self):
        tree = self.assignment()
        if self.current[0] != "end":
            raise ParseError("trailing input", self.current[2])
        return tree

    def assignment(self):
        tree = self.sum()
        if self.accept("="):
            if not isinstance(tree, Name):
                raise ParseError("cannot assign", self.current[2])
            return Assign(tree.name, self.assignment())
        return tree

    def sum(self):
        tree = self.product()
        while sign := self.accept("+", "-"):
            tree = Binary(sign, tree, self.product())
        return tree

    def product(self):
        tree = self.unary()
        while sign := self.accept("*", "/", "%"):
            tree = Binary(sign, tree, self.unary())
        return tree

    def unary(self):
        if self.accept("-"):
            return Negate(self.unary())
        return self.power()

    def power(self):
        tree = self.atom()
        if self.accept("**"):
            return Binary("**", tree, self.unary())
        return tree

    def atom(self):
        kind, value, position = self.advance()
        if kind == "number":
            return Number(value)
        if kind == "name":
            return Call(value, self.arguments()) if self.accept("(") else Name(value)
        if value == "(":
            tree = self.sum()
            self.expect(")")
            return tree
        raise ParseError("unexpected token", position)

    def arguments(self):
        if self.accept(")"):
            return []
        found = [self.sum()]
        while self.accept(","):
            found.append(self.sum())
        self.expect(")")
        return found


def calculate(text, scope):
    return Parser(text).parse().evaluate(scope)


def repl():
    scope = {name: getattr(math, name) for name in ("sin", "cos", "sqrt", "pi", "e", "log")}
    while True:
        try:
            line = input("> ")
        except EOFError:
            break
        try:
            print(calculate(line, scope))
        except (ParseError, NameError, ZeroDivisionError) as error:
            print("error:", error)


if __name__ == "__main__":
    assert calculate("1 + 2 * 3", {}) == 7
    assert calculate("2 ** 3 ** 2", {}) == 512
    assert calculate("-(4 - 6) / 4", {}) == 0.5
    assert calculate("x = sqrt(16)", {"sqrt": math.sqrt}) == 4
    repl()
