import argparse
import csv
import dataclasses
import datetime
import decimal
import pathlib
import string
import subprocess

D = decimal.Decimal
TEMPLATE = string.Template(
    r"""\documentclass{article}
\begin{document}
\section*{Invoice $number}
$customer \hfill $date

\begin{tabular}{lrrr}
$rows
\end{tabular}

Net: $net \quad VAT: $vat \quad Total: $total
\end{document}
"""
)
RATES = {"standard": D("0.19"), "reduced": D("0.07"), "none": D("0")}


@dataclasses.dataclass
class Line:
    text: str
    quantity: D
    price: D
    rate: str = "standard"

    @property
    def net(self):
        return cents(self.quantity * self.price)

    @property
    def vat(self):
        return cents(self.net * RATES[self.rate])


@dataclasses.dataclass
class Invoice:
    number: str
    customer: str
    date: datetime.date
    lines: list

    @property
    def net(self):
        return sum((line.net for line in self.lines), D(0))

    @property
    def vat(self):
        return sum((line.vat for line in self.lines), D(0))

    @property
    def total(self):
        return self.net + self.vat


def cents(amount):
    return amount.quantize(D("0.01"), decimal.ROUND_HALF_UP)


def money(amount):
    return f"{amount:,.2f}".replace(",", " ")


def escape(text):
    for sign in "&%$#_{}":
        text = text.replace(sign, "\\" + sign)
    return text


def row(line):
    return f"{escape(line.text)} & {line.quantity} & {money(line.price)} & {money(line.net)} \\\\"


def render(invoice):
    return TEMPLATE.substitute(
        number=invoice.number,
        customer=escape(invoice.customer),
        date=invoice.date.isoformat(),
        rows="\n".join(row(line) for line in invoice.lines),
        net=money(invoice.net),
        vat=money(invoice.vat),
        total=money(invoice.total),
    )


def read(path):
    grouped = {}
    with path.open(newline="") as handle:
        for record in csv.DictReader(handle):
            line = Line(record["text"], D(record["quantity"]), D(record["price"]), record.get("rate") or "standard")
            key = record["number"], record["customer"]
            grouped.setdefault(key, []).append(line)
    today = datetime.date.today()
    return [Invoice(number, customer, today, lines) for (number, customer), lines in grouped.items()]


def compile_pdf(path):
    command = ["pdflatex", "-interaction=nonstopmode", "-output-directory", str(path.parent), str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(result.stdout[-500:])
    for suffix in (".aux", ".log"):
        path.with_suffix(suffix).unlink(missing_ok=True)
    return path.with_suffix(".pdf")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("invoices"))
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)
    for invoice in read(args.csv):
        source = args.out / f"{invoice.number}.tex"
        source.write_text(render(invoice))
        print(compile_pdf(source), money(invoice.total))


if __name__ == "__main__":
    main()
