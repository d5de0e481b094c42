import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

CHUNK = 200_000


def guess_types(path):
    sample = pd.read_csv(path, nrows=5_000)
    types = {}
    for name, column in sample.items():
        if column.dtype == object:
            unique = column.nunique(dropna=True)
            types[name] = "category" if unique < 50 else "string"
        else:
            types[name] = column.dtype.name
    return types


def convert(path, target):
    types = guess_types(path)
    writer = None
    rows = 0
    try:
        for chunk in pd.read_csv(path, chunksize=CHUNK, dtype=types):
            table = pa.Table.from_pandas(chunk, preserve_index=False)
            if writer is None:
                writer = pq.ParquetWriter(target, table.schema, compression="zstd")
            writer.write_table(table.cast(writer.schema))
            rows += len(chunk)
            print(f"\r{path.name}: {rows:,} rows", end="")
    finally:
        if writer is not None:
            writer.close()
    print()
    return rows


def ratio(source, target):
    return source.stat().st_size / max(target.stat().st_size, 1)


for name in sys.argv[1:]:
    source = Path(name)
    target = source.with_suffix(".parquet")
    convert(source, target)
    print(f"  {ratio(source, target):.1f} times smaller")
