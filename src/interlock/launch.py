"""Interlock as a program of its own: `python -I -S …/interlock/launch.py hook AGENT` is the quickest way to start it.

Python's `-I` ignores `PYTHONPATH` and the current folder, and `-S` skips the installed packages, which a hook needs
only if it has to decide by itself.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/interlock/")[0])
    from interlock.cli import script

    script()
