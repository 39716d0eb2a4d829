// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/Picture.h"

using namespace hlobuf;

llvm::StringRef hlobuf::groupOf(ThunkKind Kind) {
  switch (Kind) {
  case ThunkKind::AsyncStart:
  case ThunkKind::AsyncDone:
  case ThunkKind::HostExecuteDone:
  case ThunkKind::HostSendDone:
  case ThunkKind::HostRecvDone:
    return "sync";
  case ThunkKind::While:
  case ThunkKind::Conditional:
  case ThunkKind::Call:
  case ThunkKind::Sequential:
    return "control";
  case ThunkKind::Copy:
  case ThunkKind::DeviceToDeviceCopy:
  case ThunkKind::Memset:
  case ThunkKind::Memzero:
    return "copy";
  case ThunkKind::AllGather:
  case ThunkKind::AllReduce:
  case ThunkKind::AllToAll:
  case ThunkKind::Collective:
  case ThunkKind::CollectiveBroadcast:
  case ThunkKind::CollectiveGroup:
  case ThunkKind::CollectiveKernel:
  case ThunkKind::CollectivePermute:
  case ThunkKind::DeviceToHostCopy:
  case ThunkKind::HostExecuteStart:
  case ThunkKind::HostRecv:
  case ThunkKind::HostSend:
  case ThunkKind::HostToDeviceCopy:
  case ThunkKind::Infeed:
  case ThunkKind::Outfeed:
  case ThunkKind::RaggedAllToAll:
  case ThunkKind::Recv:
  case ThunkKind::ReduceScatter:
  case ThunkKind::Send:
    return "transfer";
  default:
    return "compute";
  }
}

ValueId hlobuf::representative(const Dump &D, const Picture &P,
                               const PictureBlock &B) {
  for (ValueId V : P.values(B))
    if (!D[V].Tag.Phi)
      return V;
  return P.values(B).front();
}
