"""header.py FILE OUT [--pickle | --cache] [EDIT]...: an executable with another header.

An EDIT is the way to a field and its new value: `5#1.2.1=12` makes field 1 in field 2 of the
second field 5 the number 12, `7:text` makes field 7 a text, `10*0,1` numbers, and `5#1-`
drops that field.
"""

import pickle
import re
import sys
import zlib

from wire import Message, read_varint, varint


def edit(message, text):
    way, what, value = re.fullmatch(r"([\d.#]+)([=:*-])(.*)", text).groups()
    *outer, (number, index) = [
        (int(step.partition("#")[0]), int(step.partition("#")[2] or 0)) for step in way.split(".")
    ]
    for below, at in outer:
        if below not in message:
            message.append(below, Message())
        message = message.messages(below)[at]
    values = [field[2] for field in message.fields if field[0] == number]
    if what == "=":
        new = int(value)
    elif what == "*":
        new = b"".join(varint(int(each)) for each in value.split(","))
    else:
        new = value.encode()
    values[index : index + 1] = [] if what == "-" else [new]
    message.replace(number, values)


def main():
    file, out, *edits = sys.argv[1:]
    with open(file, "rb") as f:
        data = f.read()
    size, at = read_varint(data, 0)
    header = Message(data[at : at + size])
    wrapper = edits.pop(0) if edits and edits[0].startswith("--") else ""
    for text in edits:
        edit(header, text)
    new = header.encode()
    data = varint(len(new)) + new + data[at + size :]
    if wrapper == "--pickle":
        data = pickle.dumps([("exec", data)])
    elif wrapper == "--cache":
        data = zlib.compress(bytes(4) + data)
    with open(out, "wb") as f:
        f.write(data)


main()
