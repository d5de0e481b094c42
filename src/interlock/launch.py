"""Interlock as a program of its own: `python -I -S …/interlock/launch.py hook AGENT` is the quickest way to start it.

Python's `-I` keeps `PYTHONPATH` and the files of the folder at hand out, and `-S` leaves out what a hook needs only if
it has to decide by itself.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/interlock/")[0])
    from interlock.cli import script

    script()
