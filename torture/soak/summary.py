"""What soak prints: a line now and then, and a summary at the end."""

from __future__ import annotations

from collections.abc import Iterable

from torture.soak.faults import Fault
from torture.soak.growth import MEGABYTE, Life, describe_parts
from torture.soak.site import Site


def progress_line(seconds: float, sites: Iterable[Site], lives: Iterable[Life]) -> str:
    """Return one line about the state of a soak."""
    parts = []
    for site in sites:
        ledger = site.ledger
        parts.append(
            f"{site.name}: {len(ledger.decisions):,} decided, {sum(ledger.refused.values()):,} refused, "
            f"{sum(ledger.uncertain.values()):,} of unknown result, {len(ledger.answers):,} answered"
        )
    newest = {life.server: life for life in lives if life.samples}
    used = "  ".join(f"{name} {life.samples[-1].memory / MEGABYTE:.0f} MB" for name, life in newest.items())
    return f"{int(seconds) // 60:3}:{int(seconds) % 60:02}  {' | '.join(parts)} | {used}"


def print_summary(sites: Iterable[Site], lives: Iterable[Life], faults: Iterable[Fault]) -> None:
    """Print what was done, what happened, and what the processes used."""
    print("\n  callers")
    for site in sites:
        _print_site(site)
    print("\n  faults                              lasted   recovered after")
    for fault in faults:
        lasted = (fault.ended_at or 0) - (fault.began_at or 0)
        after = "never" if fault.recovered_after is None else f"{fault.recovered_after:.1f} s"
        print(f"    {fault.name:32} {lasted:6.1f} s   {after:>8}")
    print("\n  processes             lived    memory (MB): middle, last third    files        threads")
    for life in lives:
        _print_life(life)


def _print_site(site: Site) -> None:
    ledger = site.ledger
    told = {
        "decisions acknowledged": len(ledger.decisions),
        "refused in faults": sum(ledger.refused.values()),
        "with an unknown result": sum(ledger.uncertain.values()),
        "events": len(ledger.events),
        "answers": len(ledger.answers),
        "approvals used": len(ledger.uses),
        "runs ended": len(ledger.ended_runs),
        **{f"calls: {name.replace('_', ' ')}": count for name, count in sorted(site.calls.items())},
    }
    print(f"    {site.name}: " + ", ".join(f"{name} {count:,}" for name, count in told.items()))


def _print_life(life: Life) -> None:
    name = f"{life.server} #{life.number}"
    if not life.is_judged:
        print(f"    {name:18} {life.seconds:6.0f} s    too short to be judged")
        return
    memory, files, threads = (life.rise(figure) for figure in ("memory", "files", "threads"))
    shown = f"{memory[0] / MEGABYTE:6.1f} → {memory[1] / MEGABYTE:6.1f}"
    print(
        f"    {name:18} {life.seconds:6.0f} s    {shown:32}    "
        f"{files[0]:.0f} → {files[1]:.0f}      {threads[0]:.0f} → {threads[1]:.0f}    {describe_parts(life)}"
    )
