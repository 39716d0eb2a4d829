// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of attributes.
//
// Values that instructions and thunks have in common, as XLA's texts of modules
// spell them.

#ifndef HLOBUF_PROTO_ATTRIBUTEVALUES_H
#define HLOBUF_PROTO_ATTRIBUTEVALUES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hlobuf {

/// `{{0,1},{2,3}}`: the ReplicaGroupProtos in field \p Number.
std::string groupsText(llvm::StringRef Message, uint32_t Number);

/// `{{0,1},{1,0}}`: the SourceTargets in field \p Number.
std::string pairsText(llvm::StringRef Message, uint32_t Number);

/// `{[0:8], [2:4]}`, or with strides: the SliceDimensions in field \p Number.
std::string sliceText(llvm::StringRef Message, uint32_t Number);

/// `0_1x2_0`, or with interior padding, of the PaddingConfig \p Config.
std::string paddingText(llvm::StringRef Config);

/// What follows `window=` for the WindowProto \p Window: `{size=3x3
/// pad=1_1x1_1}`; empty if it has no dimension.
std::string windowText(llvm::StringRef Window);

/// What follows `dim_labels=` for a ConvolutionDimensionNumbers:
/// `b01f_01io->b01f`.
std::string convolutionLabels(llvm::StringRef Numbers);

/// `[2,4]<=[4,2]T(1,0)`: as many groups of so many devices, in the order that
/// transposing their array makes (IotaReplicaGroupList::ToString,
/// xla/hlo/ir/replica_group.cc).
std::string iotaText(llvm::ArrayRef<int64_t> Groups,
                     llvm::ArrayRef<int64_t> Sizes,
                     llvm::ArrayRef<int64_t> Order);

/// `mesh['x'=2,'y'=4] {'y'}`: the groups along axes of a mesh, a
/// MeshAxesReplicaGroupListProto; `mesh` for devices in another order and for
/// parts of axes.
std::string meshGroupsText(llvm::StringRef Message);

// Numbers of enumerations; `?` for those that are unknown.

/// FftType: `RFFT`.
llvm::StringRef fftTypeName(int64_t Type);
/// CustomCallApiVersion: `API_VERSION_TYPED_FFI`.
llvm::StringRef callVersionName(int64_t Version);
/// TriangularSolveOptions.Transpose: `NO_TRANSPOSE`.
llvm::StringRef solveTransposeName(int64_t Transpose);

} // namespace hlobuf

#endif // HLOBUF_PROTO_ATTRIBUTEVALUES_H
