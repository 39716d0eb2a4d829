"""stored_frame.py IN OUT: writes IN as a zstd frame of stored blocks, so that
the test needs no zstd program (RFC 8878: magic, header, raw blocks)."""
import sys

data = open(sys.argv[1], "rb").read()
out = bytearray(b"\x28\xb5\x2f\xfd")
out += bytes([0b00000000, 0x58])  # no content size, window 2 MiB
block = 1 << 16
pieces = [data[i : i + block] for i in range(0, len(data), block)] or [b""]
for number, piece in enumerate(pieces):
    last = number == len(pieces) - 1
    out += (len(piece) << 3 | last).to_bytes(3, "little") + piece
open(sys.argv[2], "wb").write(out)
