"""After private data and untrusted content were read, an export that stays on this machine does not send anything."""

from __future__ import annotations

import pytest

from tests.run_calls import stops_last, tool

READ = (
    tool("gmail_search", query="from:orders@bauer.example newer_than:14d"),
    tool("sheets_read_range", spreadsheet="Price list 2024", range="A1:D80"),
)


@pytest.mark.parametrize("destination", ["Quotes/2024/Bauer_0617.pdf", "/home/user/project/out/Bauer.pdf", "quote.csv"])
def test_an_export_to_a_file_passes(destination: str) -> None:
    assert not stops_last([*READ, tool("drive_export", path="Quote 0617", format="pdf", destination=destination)])


@pytest.mark.parametrize(
    "destination",
    ["https://files.example.com/Bauer.pdf", "drop@bauer.example", "sftp://x.example/Bauer.pdf", "Bauer shared folder"],
)
def test_an_export_to_another_place_asks(destination: str) -> None:
    assert stops_last([*READ, tool("drive_export", path="Quote 0617", format="pdf", destination=destination)])


def test_a_second_destination_asks() -> None:
    asked = tool("drive_export", path="Quote 0617", destination="Quotes/a.pdf", share_with="x@bauer.example")
    assert stops_last([*READ, asked])
