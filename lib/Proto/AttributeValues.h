// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of attributes.
//
// Those of instructions and of thunks, as XLA's texts of modules spell them.

#ifndef HLOBUF_PROTO_ATTRIBUTEVALUES_H
#define HLOBUF_PROTO_ATTRIBUTEVALUES_H

#include "Proto/FieldWalk.h"
#include "Proto/Wire.h"
#include <string>

namespace hlobuf {

/// How the value of an attribute is spelled.
enum class AttributeForm : uint8_t {
  /// `3`, `true`, `0.5`, `sum`, `"C escapes"`.
  Number,
  Flag,
  Real,
  Word,
  Quoted,
  /// A repeated number: `{0,1}`, or the first one.
  List,
  FirstOfList,
  /// A message {1: the value, 2: whether there is one}: `3`, `true`.
  Optional,
  OptionalFlag,
  /// The key stands for the field's being there: `collective=KEY`.
  Collective,
  /// As instructions have them: `{[0:8], [2:4]}`, or with strides, of
  /// SliceDimensions; `0_1x2_0`, or with interior padding; `{size=3x3
  /// pad=1_1x1_1}`; `b01f_01io->b01f`; `{{0,1}}` of groups and of pairs;
  /// `RFFT`, `API_VERSION_TYPED_FFI`, `NO_TRANSPOSE`; `f32[8]{0}`.
  Slice,
  Padding,
  Window,
  Labels,
  Groups,
  Pairs,
  FftType,
  CallVersion,
  SolveTranspose,
  Shape,
  /// PrimitiveTypes: `{f32,s32}`.
  Types,
  /// `{1,1,1}`: numbers 1 to 3 of a message, or of its only message.
  Dimensions,
  LaunchDimensions,
  /// An xla.ffi.AttributesMapProto: `{lower=true,uplo=85}`, by name.
  CallAttributes,
  /// A GemmConfigProto.MatrixLayout: `{1,129,20,4,80,20,0,15}`, its fields.
  Matrix,
  /// Arguments of a kernel, nothing if each is where it is expected.
  Packing,
  /// A parameter or result of a dynamic-slice fusion.
  SlicedParameter,
  SlicedResult,
  /// Of a collective or feed of a CPU: `{communicator}`, `{token,token}`.
  Resources,
  /// Of a ShapedSliceProto: `{3,64,32,f32[8]{0}}`, its allocation, offset,
  /// bytes and shape.
  Place,
  /// The name of a kernel that a library has.
  Symbol,
  /// Of a collective that is a kernel: nothing in the usual order.
  KernelArguments,
};

/// What \p Form spells: a number, several, a message of Fields.def, or Opaque
/// for other bytes.
FieldType fieldOf(AttributeForm Form);
/// True if \p Form spells all values of a repeated field at once.
bool isRepeatedForm(AttributeForm Form);

/// The value \p F, not of a repeated form; empty if it is what a proto has by
/// default, or no value.
std::string valueText(AttributeForm Form, const WireField &F);

/// The values of field \p Number of \p Message in \p Form, a repeated one.
std::string repeatedText(AttributeForm Form, StringRef Message,
                         uint32_t Number);

/// `[2,4]<=[4,2]T(1,0)`: as many groups of so many devices, in the order that
/// transposing their array makes, of an IotaReplicaGroupListProto
/// (IotaReplicaGroupList::ToString, xla/hlo/ir/replica_group.cc).
std::string iotaText(StringRef Message);

/// `mesh['x'=2,'y'=4]<=[2,4]T(1,0) {'y':(1)2}`: the groups along axes of a
/// mesh, or factors of axes, a MeshAxesReplicaGroupListProto, and which device
/// is where, unless they are in their order; `mesh` for listed devices.
std::string meshGroupsText(StringRef Message);

// Of values that only thunks have, in LaunchValues.cpp.

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

#endif // HLOBUF_PROTO_ATTRIBUTEVALUES_H
