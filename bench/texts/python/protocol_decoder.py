"""Decode a simple binary protocol out of a capture file."""
import enum
import io
import struct
import sys
from dataclasses import dataclass, field


class Kind(enum.IntEnum):
    HELLO = 1
    DATA = 2
    ACK = 3
    CLOSE = 4


class DecodeError(Exception):
    pass


class Reader:
    def __init__(self, data):
        self.stream = io.BytesIO(data)

    def take(self, count):
        found = self.stream.read(count)
        if len(found) < count:
            raise DecodeError(f"wanted {count} bytes, found {len(found)}")
        return found

    def unpack(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def u8(self):
        return self.unpack(">B")[0]

    def u16(self):
        return self.unpack(">H")[0]

    def u32(self):
        return self.unpack(">I")[0]

    def text(self):
        return self.take(self.u16()).decode("utf-8")

    def at_end(self):
        found = self.stream.read(1)
        if found:
            self.stream.seek(-1, io.SEEK_CUR)
        return not found


@dataclass
class Message:
    kind: Kind
    sequence: int
    fields: dict = field(default_factory=dict)

    def __str__(self):
        values = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"#{self.sequence} {self.kind.name} {values}"


def checksum(data):
    total = 0
    for byte in data:
        total = (total * 31 + byte) & 0xFFFF
    return total


def decode_hello(reader):
    return {"version": reader.u8(), "name": reader.text()}


def decode_data(reader):
    channel, length = reader.u8(), reader.u32()
    return {"channel": channel, "payload": reader.take(length)}


def decode_ack(reader):
    return {"acknowledges": reader.u32()}


def decode_close(reader):
    return {"reason": reader.text()}


DECODERS = {Kind.HELLO: decode_hello, Kind.DATA: decode_data, Kind.ACK: decode_ack, Kind.CLOSE: decode_close}


def decode_message(reader):
    magic = reader.u16()
    if magic != 0xBEEF:
        raise DecodeError(f"bad magic {magic:#x}")
    kind, sequence, length = Kind(reader.u8()), reader.u32(), reader.u16()
    body = reader.take(length)
    if reader.u16() != checksum(body):
        raise DecodeError(f"bad checksum in #{sequence}")
    return Message(kind, sequence, DECODERS[kind](Reader(body)))


def decode(data):
    reader = Reader(data)
    while not reader.at_end():
        yield decode_message(reader)


def main():
    with open(sys.argv[1], "rb") as handle:
        data = handle.read()
    count = 0
    try:
        for message in decode(data):
            print(message)
            count += 1
    except DecodeError as error:
        print(f"after {count} messages: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
