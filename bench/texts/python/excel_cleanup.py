import re
import sys
from pathlib import Path

import openpyxl
import pandas as pd

RENAMES = {"Kundennr": "customer_id", "Datum": "date", "Betrag": "amount", "Bemerkung": "note"}


def normalise_column(name):
    name = RENAMES.get(str(name).strip(), str(name))
    name = re.sub(r"[^\w]+", "_", name.strip().lower())
    return name.strip("_")


def parse_amount(value):
    if isinstance(value, (int, float)):
        return float(value)
    text = str(value).replace("€", "").replace(" ", "")
    if "," in text and "." in text:
        text = text.replace(".", "").replace(",", ".")
    elif "," in text:
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def load_sheets(path):
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    for sheet in book.worksheets:
        rows = list(sheet.iter_rows(values_only=True))
        if len(rows) < 2:
            continue
        header = [normalise_column(cell) for cell in rows[0]]
        yield sheet.title, pd.DataFrame(rows[1:], columns=header)


def clean(frame):
    frame = frame.dropna(how="all").copy()
    if "date" in frame:
        frame["date"] = pd.to_datetime(frame["date"], errors="coerce", dayfirst=True)
    if "amount" in frame:
        frame["amount"] = frame["amount"].map(parse_amount)
    for column in frame.select_dtypes("object"):
        frame[column] = frame[column].astype("string").str.strip()
    return frame.drop_duplicates()


def report(name, before, after):
    dropped = len(before) - len(after)
    missing = after.isna().sum()
    print(f"{name}: {len(after)} rows, {dropped} dropped")
    for column, count in missing[missing > 0].items():
        print(f"   {column}: {count} missing")


def main():
    frames = []
    for argument in sys.argv[1:]:
        for title, frame in load_sheets(argument):
            cleaned = clean(frame)
            report(f"{Path(argument).name}/{title}", frame, cleaned)
            frames.append(cleaned.assign(source=title))
    combined = pd.concat(frames, ignore_index=True)
    combined.to_csv("combined.csv", index=False)
    combined.groupby("source")["amount"].agg(["count", "sum"]).to_excel("summary.xlsx")


if __name__ == "__main__":
    main()
