"""Whether two instructions compute the same, whatever they are called."""

from wire import Message

NAME, OPCODE, METADATA, OPERANDS, CALLED, IDENTITY = 1, 2, 7, 36, 38, 35
# xla/service/hlo.proto, HloInstructionProto. What is left out says nothing about values:
# names, places in sources, ids, schedules and what backends noted.
LEFT_OUT = {NAME, METADATA, 34, IDENTITY, OPERANDS, 37, CALLED, 43, 68, 71, 88, 89}


class Computations:
    def __init__(self, module):
        self.by_id = {c.number(5): c for c in module.messages(3)}
        self.instructions = {
            instruction.text(NAME): instruction
            for computation in self.by_id.values()
            for instruction in computation.messages(2)
        }
        self.forms = {}

    def form_of(self, instruction, places=None):
        """What it computes of its operands, which are named by their places."""
        kept = [
            (number, value.encode() if isinstance(value, Message) else value)
            for number, _, value in instruction.fields
            if number not in LEFT_OUT
        ]
        operands = [places.get(i) for i in instruction.numbers(OPERANDS)] if places else []
        called = [self.form_of_computation(i) for i in instruction.numbers(CALLED)]
        return tuple(kept), tuple(operands), tuple(called)

    def form_of_computation(self, identity):
        if identity not in self.forms:
            computation, places, forms = self.by_id[identity], {}, []
            for place, instruction in enumerate(computation.messages(2)):
                places[instruction.number(IDENTITY)] = place
                forms.append(self.form_of(instruction, places))
            root = places.get(computation.number(6))
            self.forms[identity] = tuple(forms), root
        return self.forms[identity]

    def same(self, name, other):
        """True if both are there and compute the same of their operands."""
        found = [self.instructions.get(each) for each in (name, other)]
        return all(found) and self.form_of(found[0]) == self.form_of(found[1])
