"""Data frames that replace a table or a folder elsewhere: `df.write.mode("overwrite").saveAsTable("orders")`."""

from __future__ import annotations

import ast

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.clients.orm_calls import call_steps
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords

_WORDS = read_table("method-words", MethodWords)

WRITING_METHODS = _WORDS.frame_writers
_TABLES = _WORDS.table_writers
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
