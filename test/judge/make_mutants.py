"""Makes mutants of a module, and looks at each."""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "mutation")]

from hlo import Module  # pylint: disable=wrong-import-position
from mutations import Mutant, plain  # pylint: disable=wrong-import-position

COUNT = 200
text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
before, kinds = Module(text), set()
for seed in range(COUNT):
    made, same = (Mutant(text, "jit_mutant", f"mutant_{seed}") for _ in range(2))
    made.mutate()
    same.mutate()
    assert made.text() == same.text() and made.done, seed
    kinds.update(made.done)
    module = Module(made.text())
    assert module.head.startswith("HloModule jit_mutant"), module.head
    for c in module.computations.values():
        seen = set()
        for x in c.instructions:
            assert all(o.name in seen for o in x.operands), (seed, x.line)
            seen.add(x.name)
    # The counter, the condition and the shapes of what was there stay.
    assert plain(module.by_name["loop"].shape) == plain(before.by_name["loop"].shape)
    for name in ("next", "more", "i", "i.1"):
        assert module.by_name[name].line.split(",")[0] == before.by_name[name].line.split(",")[0]
print(f"{COUNT} mutants: {' '.join(sorted(kinds))}")
