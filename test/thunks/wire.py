"""Messages in the wire format of protocol buffers, read and edited without a schema.

What nobody asks for stays as it is, byte for byte, unknown fields too.
"""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FIXED_SIZES = {FIXED64: 8, FIXED32: 4}


class Malformed(ValueError):
    """Bytes that are no message, or no file of the kind that was expected."""


def read_varint(data, at):
    """(number, position after it)"""
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed("no varint")
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, at
        shift += 7


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varints(data):
    """The numbers of a packed field."""
    numbers, at = [], 0
    while at < len(data):
        number, at = read_varint(data, at)
        numbers.append(number)
    return numbers


def read_fields(data):
    """[field number, wire type, value] of each field, in their order."""
    fields, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise Malformed("field 0")
        if wire == VARINT:
            value, at = read_varint(data, at)
        else:
            size = FIXED_SIZES.get(wire)
            if wire == BYTES:
                size, at = read_varint(data, at)
            if size is None or size > len(data) - at:
                raise Malformed("no field")
            value = bytes(data[at : at + size])
            at += size
        fields.append([number, wire, value])
    return fields


class Message:
    """A message whose fields are numbers, bytes and messages."""

    def __init__(self, data=b""):
        self.fields = read_fields(data)

    def __contains__(self, number):
        return any(field[0] == number for field in self.fields)

    def encode(self):
        out = bytearray()
        for number, wire, value in self.fields:
            out += varint(number << 3 | wire)
            if wire == VARINT:
                out += varint(value)
                continue
            data = value.encode() if isinstance(value, Message) else value
            out += varint(len(data)) + data if wire == BYTES else data
        return bytes(out)

    def messages(self, number):
        """The messages of a field; what is changed in them is changed here."""
        found = []
        for field in self.fields:
            if field[0] != number:
                continue
            if field[1] != BYTES:
                raise Malformed("a number where a message is expected")
            if not isinstance(field[2], Message):
                field[2] = Message(field[2])
            found.append(field[2])
        return found

    def message(self, number, create=False):
        """The one message of a field, or None."""
        found = self.messages(number)
        if not found and create:
            self.append(number, Message())
            return self.message(number)
        return found[-1] if found else None

    def bytes(self, number):
        """The bytes of a field, empty if it is not there."""
        for field in reversed(self.fields):
            if field[0] == number and field[1] == BYTES:
                value = field[2]
                return value.encode() if isinstance(value, Message) else value
        return b""

    def text(self, number):
        return self.bytes(number).decode("utf-8", "replace")

    def number(self, number):
        """The number of a field, 0 if it is not there."""
        for field in reversed(self.fields):
            if field[0] == number and field[1] == VARINT:
                return field[2]
        return 0

    def numbers(self, number):
        """The numbers of a repeated field, packed or not."""
        found = []
        for field in self.fields:
            if field[0] == number:
                found += [field[2]] if field[1] == VARINT else read_varints(field[2])
        return found

    def append(self, number, value):
        wire = VARINT if isinstance(value, int) else BYTES
        self.fields.append([number, wire, value])

    def replace(self, number, values):
        """Puts other values into a field, where its first one was."""
        places = [i for i, field in enumerate(self.fields) if field[0] == number]
        at = places[0] if places else len(self.fields)
        kept = [field for field in self.fields if field[0] != number]
        wires = [VARINT if isinstance(value, int) else BYTES for value in values]
        new = [[number, wire, value] for wire, value in zip(wires, values)]
        self.fields = kept[:at] + new + kept[at:]

    def set_number(self, number, value):
        self.replace(number, [value] if value else [])

    def set_numbers(self, number, values):
        self.replace(number, [b"".join(map(varint, values))] if values else [])
