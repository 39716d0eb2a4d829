//===- Thunks/SliceComparison.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thunks/SliceComparison.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;
using llvm::SmallVector;

SliceComparison::SliceComparison(const ThunkGraph &Graph)
    : G(Graph), P(Graph.program()), T(Graph.thunks()) {
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    compare(ThunkId(I));
  if (T.ForGpu)
    compareWhole();
}

bool SliceComparison::matches(const ThunkSlice &S, const LeafPlace &Leaf) {
  if (!Leaf.Bytes) {
    ++Unknown;
    return true;
  }
  ++Compared;
  return !S.Missing && S.Bytes == *Leaf.Bytes;
}

SliceComparison::Slices SliceComparison::slices(ThunkId Id,
                                                bool Written) const {
  Slices Found;
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (S.writes() == Written)
      Found.push_back(&S);
  return Found;
}

void SliceComparison::compare(ThunkId Id) {
  HloId I = G.instruction(Id);
  if (!T[Id].Understood || G.isEmbedded(Id) || !I)
    return;
  switch (T[Id].Kind) {
  case ThunkKind::While:
  case ThunkKind::Conditional:
    return compareControl(Id, I);
  case ThunkKind::Call:
  case ThunkKind::Sequential:
  case ThunkKind::CollectiveGroup:
  case ThunkKind::AsyncStart:
  case ThunkKind::AsyncDone:
  case ThunkKind::HostSendDone:
  case ThunkKind::HostRecvDone:
  case ThunkKind::HostExecuteDone:
    return;
  default:
    return T.ForGpu ? compareGpu(Id, I) : compareCpu(Id, I);
  }
}

/// The condition of a loop is the root of its computation, the index of a
/// conditional its first operand.
void SliceComparison::compareControl(ThunkId Id, HloId I) {
  bool Loop = T[Id].Kind == ThunkKind::While;
  ComputationId Condition =
      Loop ? P.callee(I, CallRole::Condition) : ComputationId();
  if (Loop ? !Condition : P.operands(I).empty())
    return;
  HloId From = Loop ? P.root(Condition) : P.operands(I).front();
  compareInOrder(Id, slices(Id, false), {{From, 0, G.place(From, 0)}}, Reads);
}

void SliceComparison::compareInOrder(ThunkId Id, const Slices &Stated,
                                     Leaves Expected,
                                     std::vector<SliceFault> &To) {
  for (size_t N = 0; N != std::max(Stated.size(), Expected.size()); ++N) {
    auto Number = static_cast<uint32_t>(N);
    if (N >= Expected.size())
      To.push_back({Id, Stated[N], std::nullopt, Number});
    else if (N >= Stated.size())
      To.push_back({Id, nullptr, Expected[N], Number});
    else if (!matches(*Stated[N], Expected[N]))
      To.push_back({Id, Stated[N], Expected[N], Number});
  }
}

void SliceComparison::compareCpu(ThunkId Id, HloId I) {
  if (G.isCallKernel(Id))
    return compareCallKernel(Id, I);
  if (T[Id].Kind == ThunkKind::Copy && P[I].Op != Opcode::Copy)
    return compareSortCopy(Id, I);
  if (T[Id].Kind == ThunkKind::Sort)
    return compareSort(Id, I);
  compareInOrder(Id, slices(Id, false), G.operandLeaves(I), Reads);
  compareInOrder(Id, slices(Id, true), G.leaves(I), Writes);
}

void SliceComparison::compareCallKernel(ThunkId Id, HloId I) {
  compareSets(Id, I, false);
  compareSets(Id, I, true);
}

void SliceComparison::compareSets(ThunkId Id, HloId I, bool Results) {
  SmallVector<ByteSlice, 8> Expected;
  if (!G.callSlices(I, Results ? CallSlices::Results : CallSlices::Arguments,
                    Expected)) {
    ++Unknown;
    return;
  }
  std::vector<SliceFault> &To = Results ? Writes : Reads;
  Slices Stated = slices(Id, Results);
  uint32_t Number = 0;
  for (const ThunkSlice *S : Stated) {
    ++Compared;
    if (S->Missing || !llvm::is_contained(Expected, S->Bytes))
      To.push_back({Id, S, std::nullopt, Number});
    ++Number;
  }
  for (const ByteSlice &Bytes : Expected)
    if (llvm::none_of(Stated, [&](const ThunkSlice *S) {
          return !S->Missing && S->Bytes == Bytes;
        }))
      To.push_back({Id, nullptr, LeafPlace{I, 0, Bytes}, 0});
}

/// A sort works in place: operands that are elsewhere are copied first.
void SliceComparison::compareSortCopy(ThunkId Id, HloId I) {
  Slices From = slices(Id, false);
  Slices Into = slices(Id, true);
  SmallVector<LeafPlace, 8> Operands = G.operandLeaves(I);
  SmallVector<LeafPlace, 4> Results = G.leaves(I);
  if (From.size() != 1 || Into.size() != 1 ||
      Operands.size() != Results.size()) {
    Reads.push_back({Id, nullptr, std::nullopt, 0});
    return;
  }
  for (size_t N = 0; N != Operands.size(); ++N)
    if (matches(*From.front(), Operands[N]) &&
        matches(*Into.front(), Results[N]))
      return;
  // Where one of them is right, the other one is not.
  for (size_t N = 0; N != Operands.size(); ++N) {
    auto Number = static_cast<uint32_t>(N);
    if (matches(*Into.front(), Results[N])) {
      Reads.push_back({Id, From.front(), Operands[N], Number});
      return;
    }
    if (matches(*From.front(), Operands[N])) {
      Writes.push_back({Id, Into.front(), Results[N], Number});
      return;
    }
  }
  Reads.push_back({Id, From.front(), std::nullopt, 0});
}

void SliceComparison::compareSort(ThunkId Id, HloId I) {
  SmallVector<LeafPlace, 8> Operands = G.operandLeaves(I);
  SmallVector<LeafPlace, 4> Results = G.leaves(I);
  compareInOrder(Id, slices(Id, true), Results, Writes);
  SmallVector<ThunkId, 2> Copies;
  T.forEach(T[T[Id].In], [&](ThunkId Other) {
    if (Other < Id && G.instruction(Other) == I &&
        T[Other].Kind == ThunkKind::Copy)
      Copies.push_back(Other);
  });
  for (size_t N = 0; N != std::min(Operands.size(), Results.size()); ++N) {
    if (!Operands[N].Bytes || !Results[N].Bytes ||
        *Operands[N].Bytes == *Results[N].Bytes)
      continue;
    bool Copied = llvm::any_of(Copies, [&](ThunkId Copy) {
      Slices From = slices(Copy, false);
      Slices Into = slices(Copy, true);
      return From.size() == 1 && Into.size() == 1 &&
             matches(*From.front(), Operands[N]) &&
             matches(*Into.front(), Results[N]);
    });
    if (!Copied)
      Reads.push_back({Id, nullptr, Operands[N], static_cast<uint32_t>(N)});
  }
}

/// What a thunk of \p I may write: of an async operation, the results of the
/// wrapped one too.
SmallVector<LeafPlace, 4> SliceComparison::results(HloId I) const {
  SmallVector<LeafPlace, 4> Results = G.leaves(I);
  if (P[I].Op == Opcode::AsyncStart)
    for (const HloCall &Call : P.calls(I))
      llvm::append_range(Results, G.leaves(P.root(Call.Callee)));
  return Results;
}

void SliceComparison::compareGpu(ThunkId Id, HloId I) {
  ThunkKind Kind = T[Id].Kind;
  if (Kind == ThunkKind::Kernel || Kind == ThunkKind::CustomKernel ||
      Kind == ThunkKind::Cudnn)
    return compareKernel(Id, I);
  SmallVector<LeafPlace, 8> Operands = G.operandLeaves(I);
  SmallVector<LeafPlace, 4> Results = results(I);
  Slices Read = slices(Id, false);
  Slices Written = slices(Id, true);
  bool Ordered =
      Kind == ThunkKind::CustomCall || Kind == ThunkKind::Fft ||
      Kind == ThunkKind::DynamicSliceFusion || Kind == ThunkKind::Convolution ||
      ((Kind == ThunkKind::AllGather || Kind == ThunkKind::AllReduce ||
        Kind == ThunkKind::CollectivePermute ||
        Kind == ThunkKind::ReduceScatter) &&
       !startedBy(P[I].Op));
  if (Ordered && Read.size() == Operands.size() &&
      Written.size() == Results.size()) {
    compareInOrder(Id, Read, Operands, Reads);
    compareInOrder(Id, Written, Results, Writes);
    return;
  }
  compareUnordered(Id, I, Operands, Results);
}

/// Arguments are operands and then results; those of custom calls may be
/// interleaved, each in order.
bool SliceComparison::isInterleaved(const Slices &All, Leaves Operands,
                                    Leaves Results) {
  // By number of operands that were passed: possible.
  std::vector<bool> Possible(Operands.size() + 1, false);
  Possible[0] = true;
  for (size_t N = 0; N != All.size(); ++N) {
    std::vector<bool> Next(Operands.size() + 1, false);
    for (size_t Passed = 0; Passed <= std::min(N, Operands.size()); ++Passed) {
      if (!Possible[Passed] || N - Passed > Results.size())
        continue;
      if (Passed != Operands.size() && matches(*All[N], Operands[Passed]))
        Next[Passed + 1] = true;
      if (N - Passed != Results.size() && matches(*All[N], Results[N - Passed]))
        Next[Passed] = true;
    }
    Possible = std::move(Next);
  }
  return Possible[Operands.size()];
}

void SliceComparison::compareKernel(ThunkId Id, HloId I) {
  SmallVector<LeafPlace, 8> Operands = G.operandLeaves(I);
  SmallVector<LeafPlace, 4> Results = G.leaves(I);
  Slices All;
  for (const ThunkSlice &S : T.slices(T[Id]))
    All.push_back(&S);
  if (P[I].Op == Opcode::CustomCall &&
      All.size() == Operands.size() + Results.size() &&
      isInterleaved(All, Operands, Results))
    return;
  size_t First = std::min(Operands.size(), All.size());
  compareInOrder(Id, Slices(All.begin(), All.begin() + First), Operands, Reads);
  compareInOrder(Id, Slices(All.begin() + First, All.end()), Results, Writes);
}

void SliceComparison::compareUnordered(ThunkId Id, HloId I, Leaves Operands,
                                       Leaves Results) {
  ThunkKind Kind = T[Id].Kind;
  bool Partly =
      Kind == ThunkKind::Copy || Kind == ThunkKind::DeviceToDeviceCopy ||
      Kind == ThunkKind::DeviceToHostCopy ||
      Kind == ThunkKind::HostToDeviceCopy || P[I].Op == Opcode::Fusion;
  bool Fills = Kind == ThunkKind::Memzero || Kind == ThunkKind::Memset;
  bool Accumulates = Kind == ThunkKind::Gemm || Kind == ThunkKind::CublasLt ||
                     Kind == ThunkKind::CustomCall ||
                     Kind == ThunkKind::TriangularSolve;
  auto IsIn = [&](const ThunkSlice &S, Leaves Any, bool Part) {
    return llvm::any_of(Any, [&](const LeafPlace &Leaf) {
      return matches(S, Leaf) ||
             (Part && Leaf.Bytes && S.Bytes.isInside(*Leaf.Bytes));
    });
  };
  Slices Read = slices(Id, false);
  // A matrix product begins with its factors.
  size_t Factors = Kind == ThunkKind::Gemm || Kind == ThunkKind::CublasLt
                       ? std::min<size_t>({2, Read.size(), Operands.size()})
                       : 0;
  compareInOrder(Id, Slices(Read.begin(), Read.begin() + Factors),
                 Operands.take_front(Factors), Reads);
  for (size_t N = Factors; N < Read.size(); ++N)
    if (!IsIn(*Read[N], Operands, Partly) &&
        !(Accumulates && IsIn(*Read[N], Results, false)))
      Reads.push_back({Id, Read[N],
                       Read.size() == Operands.size()
                           ? std::optional<LeafPlace>(Operands[N])
                           : std::nullopt,
                       static_cast<uint32_t>(N)});
  Slices Written = slices(Id, true);
  for (size_t N = 0; N != Written.size(); ++N)
    if (!IsIn(*Written[N], Results, Fills))
      Writes.push_back({Id, Written[N],
                        Written.size() == Results.size()
                            ? std::optional<LeafPlace>(Results[N])
                            : std::nullopt,
                        static_cast<uint32_t>(N)});
}

/// Several thunks may stand for one instruction of a GPU: together they read
/// all of its operands and write all of its results.
void SliceComparison::compareWhole() {
  llvm::DenseMap<uint32_t, SmallVector<ThunkId, 2>> ByInstruction;
  std::vector<HloId> Order;
  for (size_t N = 0; N != T.Thunks.size(); ++N) {
    HloId I = G.instruction(ThunkId(N));
    ThunkKind Kind = T.Thunks[N].Kind;
    if (!I || T.Thunks[N].Slices.empty() || G.isEmbedded(ThunkId(N)) ||
        Kind == ThunkKind::While || Kind == ThunkKind::Conditional)
      continue;
    SmallVector<ThunkId, 2> &All = ByInstruction[I.index()];
    if (All.empty())
      Order.push_back(I);
    All.push_back(ThunkId(N));
  }
  for (HloId I : Order) {
    Opcode Op = P[I].Op;
    if (startedBy(Op) || endedBy(Op) || Op == Opcode::AsyncStart ||
        Op == Opcode::Send || Op == Opcode::Recv)
      continue;
    llvm::ArrayRef<ThunkId> All = ByInstruction[I.index()];
    if (llvm::any_of(All, [&](ThunkId Id) { return !T[Id].Understood; }))
      continue;
    SmallVector<LeafPlace, 8> Operands = G.operandLeaves(I);
    auto Touches = [&](const ByteSlice &Bytes, bool Written) {
      return llvm::any_of(All, [&](ThunkId Id) {
        return llvm::any_of(T.slices(T[Id]), [&](const ThunkSlice &S) {
          return (!Written || S.writes()) &&
                 (S.Bytes.overlaps(Bytes) || S.Bytes == Bytes);
        });
      });
    };
    auto Add = [&](Leaves Expected, bool Written, std::vector<SliceFault> &To) {
      // A slice that is elsewhere is not missing, too.
      if (llvm::any_of(To, [&](const SliceFault &Fault) {
            return G.instruction(Fault.In) == I;
          }))
        return;
      for (size_t N = 0; N != Expected.size(); ++N) {
        const std::optional<ByteSlice> &Bytes = Expected[N].Bytes;
        bool InPlace =
            Written && llvm::any_of(Operands, [&](const LeafPlace &Leaf) {
              return Leaf.Bytes == Bytes;
            });
        if (Bytes && Bytes->Size != 0 && !InPlace && !Touches(*Bytes, Written))
          To.push_back(
              {All.front(), nullptr, Expected[N], static_cast<uint32_t>(N)});
      }
    };
    // A collective-permute without pairs is a memzero.
    bool Fills = llvm::all_of(
        All, [&](ThunkId Id) { return T[Id].Kind == ThunkKind::Memzero; });
    if (!Fills)
      Add(Operands, false, Reads);
    Add(G.leaves(I), true, Writes);
  }
}
