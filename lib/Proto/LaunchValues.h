// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that only thunks have.

#ifndef HLOBUF_PROTO_LAUNCHVALUES_H
#define HLOBUF_PROTO_LAUNCHVALUES_H

#include "Support/LLVM.h"
#include <string>

namespace hlobuf {

/// A ShapeProto with its layout: `f32[8]{0}`.
std::string shapeText(StringRef Shape);

/// A ParameterProto or ResultProto of a dynamic-slice fusion, which has one
/// number more: `{1,f32[6,4]{1,0},f32[1,4]{1,0},{0:p1,1:0},loop:0,
/// linear:{80,-16,80,-16}}`, the offset and stride in bytes twice.
std::string dynamicSliceText(StringRef Message, bool Result);

/// A KernelArgsPackingSpecProto
/// (xla/stream_executor/kernel_args_packing_spec.h, 2025): each argument is the
/// address of the slice of its number; `=8` is a number itself.
std::string packingText(StringRef Message);

/// An OpResourcesProto or the like (xla/backends/cpu/runtime/thunk.proto): what
/// is in the order of its uses.
std::string resourcesText(StringRef Message);

/// A CollectiveKernelSpecProto (collective_kernel_thunk.proto, 2026): one
/// input, one output, device, round, two kinds of scratch memory, in this
/// order.
std::string kernelArgumentsText(StringRef Message);

} // namespace hlobuf

#endif // HLOBUF_PROTO_LAUNCHVALUES_H
