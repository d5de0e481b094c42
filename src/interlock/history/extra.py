"""The optional libraries of `interlock[history]`: Arrow, DuckDB and fsspec."""

from __future__ import annotations

from importlib.util import find_spec

from interlock.errors import InterlockError

_LIBRARIES = {"pyarrow": "Arrow", "duckdb": "DuckDB", "fsspec": "fsspec"}


def require_extra() -> None:
    """Raise if one of the libraries is not installed."""
    missing = [name for module, name in _LIBRARIES.items() if find_spec(module) is None]
    if missing:
        raise InterlockError(f"history as a table needs {', '.join(missing)}; run `pip install 'interlock[history]'`")
