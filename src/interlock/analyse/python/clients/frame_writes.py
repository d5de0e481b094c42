"""Data frames that replace a table or a folder elsewhere: `df.write.mode("overwrite").saveAsTable("orders")`."""

from __future__ import annotations

import ast

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.clients.orm_calls import call_steps
from interlock.analyse.stores.scratch_names import is_scratch_name

WRITING_METHODS = frozenset(
    (
        "saveAsTable insertInto save parquet csv json orc jdbc text delta to_gbq write_database write_delta "
        "write_deltalake to_parquet to_csv to_delta to_iceberg overwritePartitions createOrReplace"
    ).split()
)
_TABLES = frozenset("saveAsTable insertInto jdbc to_gbq write_database createOrReplace overwritePartitions".split())
_REPLACING = frozenset({"overwrite", "replace", "truncate"})
_MODES = frozenset({"mode", "if_exists", "if_table_exists", "overwrite", "saveMode"})
_REMOTE = ("s3:", "s3a:", "gs:", "gcs:", "abfs", "adl:", "wasb", "dbfs:", "hdfs:", "/mnt/", "az:")


def overwritten_table(call: PythonCall) -> str:
    """Return the effect of a write that replaces what a table or a folder elsewhere holds, or an empty text."""
    node = call.place
    if not isinstance(node, ast.Call) or not _replaces(call, node):
        return ""
    target = next((value for value in call.values if isinstance(value, str) and value not in _REPLACING), "")
    if is_scratch_name(target.rstrip("/").rpartition(".")[2]) or target.startswith(("/tmp/", "file:/tmp/")):
        return ""
    return "db.drop table" if call.method in _TABLES or target.startswith(_REMOTE) else ""


def _replaces(call: PythonCall, node: ast.Call) -> bool:
    """Whether a write is told to replace: by an argument, by a step before it, or by its own name."""
    if call.method in ("createOrReplace", "overwritePartitions"):
        return True
    given = [value for name, value in call.keywords.items() if name in _MODES]
    if any(value is True or (isinstance(value, str) and value.lower() in _REPLACING) for value in given):
        return True
    return any(
        name == "mode" and step is not None and any(_is_replacing(argument) for argument in step.args)
        for name, step in call_steps(node)
    )


def _is_replacing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() in _REPLACING
