"""Evaluates a StableHLO module one operation at a time, for hlobuf-reduce.

Each operation is compiled and run alone, so that no two of them share memory, and
loops, branches and calls are followed here. It knows every operation that the compiler
knows, on numbers of any type.
"""

import importlib
from typing import Any, Callable

# Their results are their operands.
COPIES = {"stablehlo.optimization_barrier"}
TOKENS = {"stablehlo.create_token", "stablehlo.after_all"}
RETURNS = {"func.return", "stablehlo.return"}


def is_tuple(kind: Any) -> bool:
    return str(kind).startswith("tuple<")


class Stepwise:
    """Runs operations with `compile`, which makes a function of a module."""

    def __init__(self, ir: Any, compile_module: Callable[[Any], Any]) -> None:
        self.ir = ir
        self.func = importlib.import_module("jaxlib.mlir.dialects.func")
        self.stablehlo = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
        self.compile_module = compile_module
        self.by_text: dict[str, Any] = {}
        self.by_operation: dict[Any, Any] = {}
        self.functions: dict[str, Any] = {}

    def run(self, module: Any, arguments: list[Any]) -> list[Any]:
        """The results of the function main."""
        # Operations of the last module are gone, and others may be in their places.
        self.by_operation = {}
        self.functions = {
            each.operation.attributes["sym_name"].value: each
            for each in module.body.operations
        }
        return self.call("main", arguments, {})

    def call(self, name: str, arguments: list[Any], known: dict[Any, Any]) -> list[Any]:
        return self.region(self.functions[name].regions[0], arguments, known)

    def region(self, region: Any, arguments: list[Any], outside: dict[Any, Any]) -> list[Any]:
        """What a region returns, which may read values from outside of it."""
        block = region.blocks[0]
        known = dict(outside)
        known.update(zip(block.arguments, arguments))
        for each in block.operations:
            operation = each.operation
            given = [known[value] for value in operation.operands]
            if operation.name in RETURNS:
                return given
            known.update(zip(operation.results, self.results(operation, given, known)))
        raise ValueError("a region without a return")

    def results(self, operation: Any, given: list[Any], known: dict[Any, Any]) -> list[Any]:
        name = operation.name
        regions = operation.regions
        if name == "stablehlo.while":
            state = given
            while bool(self.region(regions[0], state, known)[0]):
                state = self.region(regions[1], state, known)
            return state
        if name == "stablehlo.if":
            return self.region(regions[0 if bool(given[0]) else 1], [], known)
        if name == "stablehlo.case":
            branch = int(given[0])
            last = len(regions) - 1
            return self.region(regions[branch if 0 <= branch <= last else last], [], known)
        if name == "func.call":
            return self.call(operation.attributes["callee"].value, given, {})
        if name == "stablehlo.tuple":
            return [tuple(given)]
        if name == "stablehlo.get_tuple_element":
            return [given[0][operation.attributes["index"].value]]
        if name in COPIES:
            return given
        if name in TOKENS:
            return [None]
        return self.packed(operation, list(self.compiled(operation)(given)))

    def compiled(self, operation: Any) -> Any:
        """`operation` alone, as a function of its operands."""
        if operation not in self.by_operation:
            # Constants may be long, and none of them is needed twice.
            text = ""
            if operation.name != "stablehlo.constant":
                text = operation.get_asm(use_local_scope=True, print_generic_op_form=True)
            if text not in self.by_text or not text or "@" in text:
                self.by_text[text] = self.compile_module(self.alone(operation, "@" in text))
            self.by_operation[operation] = self.by_text[text]
        return self.by_operation[operation]

    def alone(self, operation: Any, calls: bool) -> Any:
        """A module whose main is `operation`."""
        ir = self.ir
        given = [value.type for value in operation.operands]
        returned = [kind for value in operation.results for kind in self.parts(value.type)]
        with ir.Location.unknown():
            module = ir.Module.create()
            if calls:
                for name, each in self.functions.items():
                    if name != "main":
                        each.operation.clone(ip=ir.InsertionPoint(module.body))
            with ir.InsertionPoint(module.body):
                main = self.func.FuncOp("main", ir.FunctionType.get(given, returned))
            block = main.add_entry_block()
            copy = operation.clone(ip=ir.InsertionPoint(block))
            for number, argument in enumerate(block.arguments):
                copy.operands[number] = argument
            with ir.InsertionPoint(block):
                self.func.ReturnOp([x for value in copy.results for x in self.unpacked(value)])
        return module

    def parts(self, kind: Any) -> list[Any]:
        """What a function returns in place of a tuple."""
        if not is_tuple(kind):
            return [kind]
        kind = self.ir.TupleType(kind)
        return [kind.get_type(number) for number in range(kind.num_types)]

    def unpacked(self, value: Any) -> list[Any]:
        if not is_tuple(value.type):
            return [value]
        count = self.ir.TupleType(value.type).num_types
        element = self.stablehlo.GetTupleElementOp
        return [element(value, number).result for number in range(count)]

    def packed(self, operation: Any, returned: list[Any]) -> list[Any]:
        tuples = [value for value in operation.results if is_tuple(value.type)]
        return [tuple(returned)] if tuples else returned
