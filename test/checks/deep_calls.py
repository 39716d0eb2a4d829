"""deep_calls.py DEPTH: a dump whose program calls a computation that calls another, and so on."""

import sys

DEPTH = int(sys.argv[1])

print("""*** Begin m-buffer-assignment.txt ***
BufferAssignment:
allocation 0: size 4, parameter 0, shape |f32[]| at ShapeIndex {}:
 value: <0 a @0> (size=4,offset=0): f32[]
allocation 1: size 4, output shape is |f32[]|, maybe-live-out:
 value: <1 r.0 @0> (size=4,offset=0): f32[]

*** End m-buffer-assignment.txt ***
*** Begin m.txt ***
HloModule m, is_scheduled=true

c.0 (p.0: f32[]) -> f32[] {
  p.0 = f32[] parameter(0)
  ROOT r.0 = f32[] negate(p.0)
}
""")
for i in range(1, DEPTH):
    print(f"""c.{i} (p.{i}: f32[]) -> f32[] {{
  p.{i} = f32[] parameter(0)
  ROOT r.{i} = f32[] call(p.{i}), to_apply=c.{i - 1}
}}
""")
print(f"""ENTRY main (a: f32[]) -> f32[] {{
  a = f32[] parameter(0)
  ROOT r = f32[] call(a), to_apply=c.{DEPTH - 1}
}}

*** End m.txt ***""")
