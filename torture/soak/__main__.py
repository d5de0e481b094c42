"""Run servers under mixed load and faults, then compare what callers were told with what is on record.

    python -m torture.soak --minutes 60

It fails if anything is lost, doubled or allowed without a record, if a store does not verify, or if a server's memory,
open files or threads grow. It needs Linux, because it reads `/proc`.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from torture.soak.soak import Soak


def main() -> int:
    """Soak for some minutes; return 1 if something is wrong, and 130 if it was interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--logs", type=Path, help="a folder in which the logs of the servers are kept")
    parser.add_argument("--sabotage", choices=["leak", "drop"], help=argparse.SUPPRESS)  # proves that soak can fail
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # cleans up as after Ctrl-C
    try:
        with ExitStack() as stack:
            temporary = tempfile.TemporaryDirectory(prefix="interlock-soak-", ignore_cleanup_errors=True)
            soak = Soak(Path(stack.enter_context(temporary)), stack, given.minutes, given.sabotage or "")
            problems = soak.run()
            if given.logs is not None:
                soak.keep_logs(given.logs)
    except KeyboardInterrupt:
        print("\ninterrupted: nothing was compared, and everything is cleaned up", flush=True)
        return 130
    for problem in problems:
        print(f"FAILED: {problem}")
    result = f"{len(problems)} problems" if problems else "nothing lost, nothing grew"
    print(f"soak of {given.minutes:g} minutes: {result}")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
