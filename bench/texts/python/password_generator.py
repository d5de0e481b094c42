import argparse
import math
import secrets
import string

AMBIGUOUS = "Il1O0"


def alphabet(args):
    letters = string.ascii_letters
    if args.digits:
        letters += string.digits
    if args.symbols:
        letters += "!@#$%^&*-_=+"
    if args.readable:
        letters = "".join(letter for letter in letters if letter not in AMBIGUOUS)
    return letters


def generate(letters, length):
    return "".join(secrets.choice(letters) for _ in range(length))


def passphrase(words, count, separator="-"):
    return separator.join(secrets.choice(words) for _ in range(count))


def entropy(size, length):
    return length * math.log2(size)


def load_words(path):
    with open(path) as handle:
        return [line.strip() for line in handle if 4 <= len(line.strip()) <= 8]


def strength(bits):
    for limit, name in ((40, "weak"), (60, "fair"), (80, "good")):
        if bits < limit:
            return name
    return "strong"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--length", type=int, default=20)
    parser.add_argument("-c", "--count", type=int, default=5)
    parser.add_argument("--no-digits", dest="digits", action="store_false")
    parser.add_argument("--symbols", action="store_true")
    parser.add_argument("--readable", action="store_true")
    parser.add_argument("--words", metavar="FILE")
    args = parser.parse_args()
    if args.words:
        words = load_words(args.words)
        bits = entropy(len(words), 5)
        made = [passphrase(words, 5) for _ in range(args.count)]
    else:
        letters = alphabet(args)
        bits = entropy(len(letters), args.length)
        made = [generate(letters, args.length) for _ in range(args.count)]
    print("\n".join(made))
    print(f"# {bits:.0f} bits, {strength(bits)}")


main()
