"""PHP."""

from interlock.analyse.scripts.syntax import Syntax

PHP = Syntax(
    "php",
    joins=frozenset({"."}),
    folds=True,
    inputs=frozenset(
        {"_GET", "_POST", "_REQUEST", "_COOKIE", "_FILES", "argv", "_get", "_post", "_request", "_cookie"}
    ),
    environment=frozenset({"_ENV", "_env", "_SERVER"}),
)
