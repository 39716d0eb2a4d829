"""Files of records (riegeli) and the split protos in them, read and written.

https://github.com/google/riegeli/blob/master/doc/riegeli_records_file_format.md.
Hashes are written as 0: hlobuf reads none of them, XLA would refuse the file.
"""

import struct

from wire import Malformed, Message, read_varint, varint

SIGNATURE = bytes.fromhex("83af70d10d884a3f")
BLOCK, BLOCK_HEADER, CHUNK_HEADER = 1 << 16, 24, 40
FILE_HEADER = BLOCK_HEADER + CHUNK_HEADER
CHUNK = struct.Struct("<QQQQQ")
CHUNK_TYPES = b"sprtm"


def copy_back(out, distance, size):
    """Appends bytes of the output again; they may overlap what is appended."""
    if not 0 < distance <= len(out):
        raise Malformed("snappy: no such distance")
    for _ in range(size):
        out.append(out[-distance])


def unpack_snappy(data):
    total, at = read_varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            size = tag >> 2
            if size > 59:
                more = size - 59
                size = int.from_bytes(data[at : at + more], "little")
                at += more
            out += data[at : at + size + 1]
            at += size + 1
        elif kind == 1:
            copy_back(out, tag >> 5 << 8 | data[at], (tag >> 2 & 7) + 4)
            at += 1
        else:
            more = kind * 2 - 2
            distance = int.from_bytes(data[at : at + more], "little")
            copy_back(out, distance, (tag >> 2) + 1)
            at += more
    if len(out) != total:
        raise Malformed("snappy: wrong size")
    return bytes(out)


def unpack(how, data):
    if how == 0:
        return data
    if how != ord("s"):
        raise Malformed("records that are compressed in another way than snappy")
    return unpack_snappy(data[read_varint(data, 0)[1] :])


def read_records(file):
    """The records of the file that the bytes begin with, one at a time."""
    content = b"".join(
        file[at + BLOCK_HEADER : at + BLOCK] for at in range(0, len(file), BLOCK)
    )
    at = 0
    while len(content) - at >= CHUNK_HEADER:
        _, size, _, count, _ = CHUNK.unpack_from(content, at)
        if count & 255 not in CHUNK_TYPES:
            return
        if count & 255 == ord("r"):
            data = content[at + CHUNK_HEADER : at + CHUNK_HEADER + size]
            packed, start = read_varint(data, 1)
            sizes = unpack(data[0], data[start : start + packed])
            values = unpack(data[0], data[start + packed :])
            where = begin = 0
            while where < len(sizes):
                length, where = read_varint(sizes, where)
                yield values[begin : begin + length]
                begin += length
        at += CHUNK_HEADER + max(size, count >> 8)


def write_records(header, records):
    """A file of records without compression; header is that of any file."""
    sizes = b"".join(varint(len(record)) for record in records)
    data = b"\0" + varint(len(sizes)) + sizes + b"".join(records)
    decoded = sum(map(len, records))
    chunk = CHUNK.pack(0, len(data), 0, len(records) << 8 | ord("r"), decoded) + data
    out = bytearray(header[:FILE_HEADER])
    room = BLOCK - len(out)
    out += chunk[:room]
    content = BLOCK - BLOCK_HEADER
    for at in range(room, len(chunk), content):
        blocks_left = -(-(len(chunk) - at) // content)
        end = len(chunk) - at + blocks_left * BLOCK_HEADER
        out += struct.pack("<QQQ", 0, len(out) - FILE_HEADER, end)
        out += chunk[at : at + content]
    return bytes(out)


class SplitProto:
    """A message in several records: some are merged, some stand for one field."""

    def __init__(self, file):
        self.header = file[:FILE_HEADER]
        reader = read_records(file)
        try:
            self.manifest = next(reader)
            rows = Message(self.manifest).messages(2)
            self.records = [next(reader) for _ in rows]
        except StopIteration:
            raise Malformed("fewer records than the manifest names") from None
        self.type = Message(self.manifest).text(1)
        self.paths = [self.path_of(row) for row in rows]

    @staticmethod
    def path_of(row):
        """The field that a record replaces, by numbers; None if it is merged."""
        override = row.message(3)
        return override and [part.number(1) for part in override.messages(1)]

    def merged(self):
        """The indices of the records that are merged."""
        return [index for index, path in enumerate(self.paths) if path is None]

    def encode(self):
        return write_records(self.header, [self.manifest, *self.records])
