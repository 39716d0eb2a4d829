// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes that follow from operands.
//
// The shape of an instruction follows from its opcode, its attributes and the
// shapes of its operands; HloVerifier (ShapeVerifier in
// xla/service/hlo_verifier.cc, 2017 on) insists on it after every pass. Here
// are only rules that hold whatever a backend does to layouts and precision:
// - the result of a copy is its operand, and so are both buffers of a
//   copy-start, but for layouts (copies of arrays keep their dimensions only:
//   on TPU of libtpu 0.0.17 to 0.0.51 `copy` converts f32 to bf16 on the way);
// - elementwise opcodes, convert, reverse, sort, scatter and
//   dynamic-update-slice keep the dimensions, and so does what all devices do
//   to one array; but for what converts, they keep integers as they are, and
//   floating-point numbers in some precision;
// - reshape and transpose keep the number of elements, a transpose permutes
//   the dimensions as `dimensions` says, a broadcast places them there;
// - a slice has the dimensions that `slice` or `dynamic_slice_sizes` says, and
//   is not larger than what it is cut from; start indices are scalars;
// - `dimensions`, `padding` and the contracting and batch dimensions give those
//   of concatenate, reduce, pad and dot.
// Dynamic dimensions are left out, and so are operands without a shape.

#ifndef HLOBUF_CHECKS_SHAPERULES_H
#define HLOBUF_CHECKS_SHAPERULES_H

#include "Checks/Check.h"
#include "Program/Program.h"

namespace hlobuf {

/// Reports what of \p Id does not fit. Linear in the number of operands.
void checkShapes(const Program &P, HloId Id, Reporter &Diags);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_SHAPERULES_H
