import logging
import os
from contextlib import contextmanager
from datetime import date, timedelta

import pandas as pd
import psycopg2
from psycopg2.extras import execute_values

log = logging.getLogger("etl")

SOURCE = os.environ.get("SOURCE_DSN", "postgresql://localhost/shop")
TARGET = os.environ.get("TARGET_DSN", "postgresql://localhost/warehouse")

EXTRACT = """
    SELECT o.id, o.customer_id, o.created_at, o.status, l.sku, l.quantity, l.unit_price
    FROM orders o JOIN order_lines l ON l.order_id = o.id
    WHERE o.created_at >= %s AND o.created_at < %s
"""
CREATE = """
    CREATE TABLE IF NOT EXISTS daily_sales (
        day date NOT NULL, sku text NOT NULL, units integer NOT NULL, revenue numeric(12, 2) NOT NULL,
        PRIMARY KEY (day, sku)
    )
"""
UPSERT = """
    INSERT INTO daily_sales (day, sku, units, revenue) VALUES %s
    ON CONFLICT (day, sku) DO UPDATE SET units = EXCLUDED.units, revenue = EXCLUDED.revenue
"""


@contextmanager
def connect(dsn):
    connection = psycopg2.connect(dsn)
    try:
        yield connection
        connection.commit()
    except Exception:
        connection.rollback()
        raise
    finally:
        connection.close()


def extract(day):
    with connect(SOURCE) as connection:
        frame = pd.read_sql(EXTRACT, connection, params=(day, day + timedelta(days=1)))
    log.info("extracted %d lines for %s", len(frame), day)
    return frame


def drop_cancelled(frame):
    return frame[~frame["status"].isin(["cancelled", "refunded"])]


def add_revenue(frame):
    return frame.assign(revenue=frame["quantity"] * frame["unit_price"])


def aggregate(frame):
    grouped = frame.groupby("sku", as_index=False)
    return grouped.agg(units=("quantity", "sum"), revenue=("revenue", "sum"))


def transform(frame):
    for step in (drop_cancelled, add_revenue, aggregate):
        before = len(frame)
        frame = step(frame)
        log.debug("%s: %d -> %d rows", step.__name__, before, len(frame))
    return frame


def load(day, frame):
    rows = [(day, row.sku, int(row.units), float(row.revenue)) for row in frame.itertuples()]
    with connect(TARGET) as connection, connection.cursor() as cursor:
        cursor.execute(CREATE)
        if rows:
            execute_values(cursor, UPSERT, rows)
    log.info("loaded %d rows for %s", len(rows), day)


def run(day):
    frame = transform(extract(day))
    load(day, frame)
    return len(frame)


def backfill(first, last):
    day, total = first, 0
    while day <= last:
        total += run(day)
        day += timedelta(days=1)
    return total


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    yesterday = date.today() - timedelta(days=1)
    print(backfill(yesterday - timedelta(days=6), yesterday))
