"""`python -m interlock` is the command line."""

from interlock.cli import script

if __name__ == "__main__":
    script()
