// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Field numbers of XLA's messages.
//
// xla/service/hlo.proto and xla/xla_data.proto, 2019-2026. Only what is read.

#ifndef HLOBUF_PROTO_FIELDS_H
#define HLOBUF_PROTO_FIELDS_H

#include <cstdint>

namespace hlobuf::field {

enum HloProtoField : uint32_t {
  HloProtoAssignment = 3,
};

/// Of HloModuleProtoWithConfig and HloModuleConfigProto.
enum ConfigField : uint32_t {
  ConfigEntryLayout = 1,
  ModuleConfig = 2,
};

enum ModuleField : uint32_t {
  ModuleName = 1,
  ModuleComputation = 3,
  ModuleProgramShape = 4,
  ModuleNumber = 5,
  ModuleEntryId = 6,
  ModuleSchedule = 7,
  ModuleAliases = 8,
  ModuleStackFrames = 17,
  ModulePayload = 22,
};

enum ComputationField : uint32_t {
  ComputationName = 1,
  ComputationInstruction = 2,
  ComputationProgramShape = 4,
  ComputationIdNumber = 5,
  ComputationRoot = 6,
  ComputationThread = 8,
};

enum InstructionField : uint32_t {
  Name = 1,
  OpcodeName = 2,
  Shape = 3,
  Metadata = 7,
  Literal = 8,
  ParameterNumber = 9,
  FusionKind = 11,
  TupleIndex = 13,
  Dimensions = 14,
  Window = 15,
  ConvolutionNumbers = 16,
  SliceDimensions = 17,
  ExponentBits = 18,
  MantissaBits = 19,
  DynamicSliceSizes = 20,
  Padding = 21,
  ChannelId = 26,
  CustomCallTarget = 28,
  DotNumbers = 30,
  FftType = 31,
  FftLength = 32,
  GatherNumbers = 33,
  GatherSliceSizes = 34,
  InstructionIdNumber = 35,
  Operands = 36,
  ControlPredecessors = 37,
  CalledComputations = 38,
  BackendConfig = 43,
  HostTransfer = 47,
  ScatterNumbers = 48,
  ReplicaGroups = 49,
  FeatureGroups = 50,
  SourceTargets = 52,
  BatchGroups = 58,
  IsStable = 60,
  ComparisonDirection = 63,
  SideEffect = 65,
  Delta = 66,
  IndicesSorted = 67,
  FrontendAttributes = 68,
  UniqueIndices = 69,
  GlobalDeviceIds = 71,
  OutputAliases = 74,
  CallVersion = 77,
  ExecutionThread = 79,
  PrefetchIndex = 80,
  TopKCount = 81,
  DeviceList = 87,
  IotaGroups = 92,
  MeshGroups = 93,
  NumCarries = 95,
  BackendConfigPayload = 99,
};

} // namespace hlobuf::field

#endif // HLOBUF_PROTO_FIELDS_H
