"""Summarise monthly sales exports and write an HTML report."""
import argparse
import csv
import json
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

DATE_FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y")
REGIONS = {"n": "North", "s": "South", "e": "East", "w": "West"}


@dataclass
class Sale:
    date: datetime
    region: str
    product: str
    quantity: int
    price: float

    @property
    def total(self):
        return self.quantity * self.price


@dataclass
class Summary:
    count: int = 0
    revenue: float = 0.0
    products: dict = field(default_factory=lambda: defaultdict(float))

    def add(self, sale):
        self.count += 1
        self.revenue += sale.total
        self.products[sale.product] += sale.total

    def best_product(self):
        if not self.products:
            return None
        return max(self.products.items(), key=lambda item: item[1])


def parse_date(text):
    for fmt in DATE_FORMATS:
        try:
            return datetime.strptime(text.strip(), fmt)
        except ValueError:
            continue
    raise ValueError(f"unknown date format: {text!r}")


def parse_number(text, default=0.0):
    cleaned = text.replace(",", "").replace("$", "").strip()
    if not cleaned:
        return default
    return float(cleaned)


def parse_row(row):
    return Sale(
        date=parse_date(row["date"]),
        region=REGIONS.get(row["region"].lower()[:1], "Unknown"),
        product=row["product"].strip(),
        quantity=int(parse_number(row["quantity"])),
        price=parse_number(row["price"]),
    )


def read_sales(path):
    sales, errors = [], []
    with open(path, newline="", encoding="utf-8") as handle:
        for number, row in enumerate(csv.DictReader(handle), start=2):
            try:
                sales.append(parse_row(row))
            except (KeyError, ValueError) as error:
                errors.append((number, str(error)))
    return sales, errors


def summarise(sales, key):
    summaries = defaultdict(Summary)
    for sale in sales:
        summaries[key(sale)].add(sale)
    return summaries


def by_month(sale):
    return sale.date.strftime("%Y-%m")


def by_region(sale):
    return sale.region


def format_money(amount):
    return f"${amount:,.2f}"


def render_table(title, summaries):
    rows = []
    for name in sorted(summaries):
        summary = summaries[name]
        best = summary.best_product()
        rows.append(
            "<tr>"
            f"<td>{name}</td><td>{summary.count}</td>"
            f"<td>{format_money(summary.revenue)}</td>"
            f"<td>{best[0] if best else '-'}</td>"
            "</tr>"
        )
    return f"<h2>{title}</h2><table>{''.join(rows)}</table>"


def render_report(sales, errors):
    parts = [
        render_table("By month", summarise(sales, by_month)),
        render_table("By region", summarise(sales, by_region)),
    ]
    if errors:
        items = "".join(f"<li>line {number}: {message}</li>" for number, message in errors)
        parts.append(f"<h2>Skipped rows</h2><ul>{items}</ul>")
    return f"<html><body>{''.join(parts)}</body></html>"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=Path("report.html"))
    parser.add_argument("--json", action="store_true", help="also write totals as JSON")
    args = parser.parse_args(argv)

    all_sales, all_errors = [], []
    for path in args.files:
        sales, errors = read_sales(path)
        print(f"{path}: {len(sales)} sales, {len(errors)} errors")
        all_sales.extend(sales)
        all_errors.extend(errors)

    args.output.write_text(render_report(all_sales, all_errors), encoding="utf-8")
    if args.json:
        totals = {name: summary.revenue for name, summary in summarise(all_sales, by_region).items()}
        args.output.with_suffix(".json").write_text(json.dumps(totals, indent=2))
    print(f"wrote {args.output}")
    return 1 if all_errors else 0


if __name__ == "__main__":
    sys.exit(main())
