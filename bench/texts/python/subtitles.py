"""Shift and fix subtitles."""
import argparse
import re
from dataclasses import dataclass
from pathlib import Path

TIME = re.compile(r"(\d+):(\d+):(\d+)[,.](\d+)")


@dataclass
class Cue:
    start: int
    end: int
    text: str

    def shift(self, offset, factor=1.0):
        return Cue(max(0, round(self.start * factor) + offset), max(0, round(self.end * factor) + offset), self.text)

    def duration(self):
        return self.end - self.start


def to_ms(text):
    hours, minutes, seconds, ms = map(int, TIME.match(text.strip()).groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms


def from_ms(value):
    seconds, ms = divmod(value, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02},{ms:03}"


def parse(text):
    cues = []
    for block in re.split(r"\n\s*\n", text.replace("\r", "").strip()):
        lines = block.splitlines()
        if lines and lines[0].strip().isdigit():
            lines = lines[1:]
        if not lines or "-->" not in lines[0]:
            continue
        start, end = lines[0].split("-->")
        cues.append(Cue(to_ms(start), to_ms(end), "\n".join(lines[1:])))
    return cues


def fix_overlaps(cues, gap=40):
    fixed = []
    for cue in sorted(cues, key=lambda cue: cue.start):
        if fixed and fixed[-1].end + gap > cue.start:
            fixed[-1].end = max(fixed[-1].start + 200, cue.start - gap)
        fixed.append(cue)
    return fixed


def strip_tags(cue):
    return Cue(cue.start, cue.end, re.sub(r"<[^>]+>|\{[^}]+\}", "", cue.text))


def write(cues):
    return "\n".join(
        f"{number}\n{from_ms(cue.start)} --> {from_ms(cue.end)}\n{cue.text}\n" for number, cue in enumerate(cues, 1)
    )


def process(path, args):
    cues = parse(path.read_text(encoding=args.encoding))
    cues = [cue.shift(args.offset, args.factor) for cue in cues]
    if args.strip:
        cues = [strip_tags(cue) for cue in cues]
    cues = fix_overlaps(cues)
    path.with_suffix(".fixed.srt").write_text(write(cues), encoding="utf-8")
    return len(cues)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--offset", type=int, default=0, help="milliseconds")
    parser.add_argument("--factor", type=float, default=1.0)
    parser.add_argument("--strip", action="store_true")
    parser.add_argument("--encoding", default="utf-8")
    args = parser.parse_args()
    for path in args.files:
        print(path, process(path, args))


if __name__ == "__main__":
    main()
