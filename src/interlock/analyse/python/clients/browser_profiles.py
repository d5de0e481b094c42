"""Browsers that are driven with a person's own profile, which is signed in wherever the person is."""

from __future__ import annotations

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.evaluation.values import as_text

PROFILE_METHODS = frozenset({"launch_persistent_context", "add_argument", "FirefoxProfile"})
_OPTIONS = ("--user-data-dir=", "user-data-dir=")


def read_profile(call: PythonCall) -> None:
    """Report the folder of the profile that a browser is started with as read."""
    path = as_text(call.option("user_data_dir", 0, ""))
    if call.method == "add_argument":
        option = next((option for option in _OPTIONS if path.startswith(option)), "")
        path = path[len(option) :] if option else ""
    if path:
        call.reading.file("fs.read", call.site, path)
