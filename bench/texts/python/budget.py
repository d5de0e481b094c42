import csv
import sys
from collections import defaultdict
from datetime import datetime
from decimal import Decimal

CATEGORIES = {
    "rent": ["landlord", "housing"],
    "food": ["market", "bakery", "grocer", "restaurant"],
    "transport": ["rail", "metro", "fuel", "parking"],
    "insurance": ["insurance", "assurance"],
    "income": ["salary", "refund"],
}


def categorise(text):
    lowered = text.lower()
    for name, words in CATEGORIES.items():
        if any(word in lowered for word in words):
            return name
    return "other"


def amount(text):
    return Decimal(text.replace(".", "").replace(",", "."))


def read(path):
    with open(path, newline="", encoding="latin-1") as handle:
        for row in csv.DictReader(handle, delimiter=";"):
            yield {
                "date": datetime.strptime(row["date"], "%d.%m.%Y").date(),
                "text": row["purpose"],
                "amount": amount(row["amount"]),
                "category": categorise(row["purpose"]),
            }


def month(booking):
    return booking["date"].strftime("%Y-%m")


def pivot(bookings):
    table = defaultdict(lambda: defaultdict(Decimal))
    for booking in bookings:
        table[month(booking)][booking["category"]] += booking["amount"]
    return table


def line(name, values):
    return f"{name:<12}" + "".join(f"{value:>12}" for value in values)


def show(table):
    names = sorted({name for row in table.values() for name in row})
    print(line("month", [*names, "total"]))
    for key in sorted(table):
        row = table[key]
        values = [f"{row[name]:.2f}" for name in names]
        print(line(key, [*values, f"{sum(row.values()):.2f}"]))


def largest(bookings, count=10):
    for booking in sorted(bookings, key=lambda one: one["amount"])[:count]:
        print(booking["date"], f"{booking['amount']:>10.2f}", booking["text"][:60])


def main():
    bookings = [booking for path in sys.argv[1:] for booking in read(path)]
    show(pivot(bookings))
    print()
    largest(bookings)


if __name__ == "__main__":
    main()
