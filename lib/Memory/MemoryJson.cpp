//===- Memory/MemoryJson.cpp - The summary for programs -------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/MemorySummary.h"
#include "llvm/Support/JSON.h"

using namespace hlobuf;
using llvm::StringRef;
namespace json = llvm::json;

static StringRef kindKey(MemoryKind Kind) {
  return Kind == MemoryKind::ThreadLocal ? "thread_local"
         : Kind == MemoryKind::LiveOut   ? "live_out"
                                         : kindName(Kind);
}

static void write(json::OStream &J, StringRef Key, StringRef Text) {
  if (!Text.empty())
    J.attribute(Key, json::fixUTF8(Text));
}

static void writeRow(const HeldRow &Row, json::OStream &J) {
  write(J, "value", Row.Name);
  J.attribute("bytes", Row.Bytes);
  J.attribute("unpadded_bytes", Row.Unpadded);
  J.attribute("shape", json::fixUTF8(Row.Shape));
  J.attribute("kind", kindKey(Row.Kind));
  J.attribute("allocation", Row.Allocation);
  write(J, "op_name", Row.OpName);
  write(J, "source", Row.Source);
  if (Row.Idle)
    J.attribute("live", false);
}

static void writeSpace(const SpaceSummary &S, json::OStream &J) {
  J.object([&] {
    J.attribute("color", S.Color);
    J.attribute("name", S.Name);
    J.attribute("bytes", S.Allocated);
    J.attribute("resident_bytes", S.Resident);
    if (!S.PeakStep)
      return;
    J.attribute("peak_step", *S.PeakStep);
    J.attribute("peak_instruction", json::fixUTF8(S.Instruction));
    J.attribute("peak_bytes", S.Peak);
    J.attribute("unpadded_peak_bytes", S.Unpadded);
  });
}

static void writeStated(const MemorySummary &M, json::OStream &J) {
  if (M.Stated)
    J.attributeObject("xla_peak", [&] {
      J.attribute("step", M.Stated->Step);
      J.attribute("bytes", M.Stated->Bytes);
    });
}

static void writeSavings(const MemorySummary &M, json::OStream &J) {
  J.attributeArray("savings", [&] {
    for (const WasteRow &Item : M.Savings)
      J.object([&] {
        J.attribute("check", Item.Check);
        J.attribute("bytes", Item.Saved);
        if (Item.Count > 1)
          J.attribute("count", Item.Count);
        write(J, "message", Item.Message);
        write(J, "hint", Item.Hint);
      });
  });
  if (M.Donation)
    J.attributeObject("donation", [&] {
      J.attribute("kept", M.Donation->Kept);
      J.attribute("missed", M.Donation->Missed);
      J.attribute("possible", M.Donation->Possible);
    });
}

static void writePeak(const MemorySummary &M, json::OStream &J) {
  J.attributeArray("largest", [&] {
    for (const HeldRow &Row : M.Largest)
      J.object([&] { writeRow(Row, J); });
  });
  J.attributeArray("groups", [&] {
    for (const HeldGroup &G : M.Groups)
      J.object([&] {
        J.attribute("count", G.Count);
        J.attribute("total_bytes", G.Bytes);
        write(J, "label", G.Label);
        if (G.Shapes > 1)
          J.attribute("shapes", G.Shapes);
        writeRow(G.First, J);
      });
  });
  J.attributeArray("tree", [&] {
    for (const TreeLine &T : M.Tree)
      J.object([&] {
        J.attribute("depth", T.Depth);
        J.attribute("label", json::fixUTF8(T.Label));
        J.attribute("bytes", T.Bytes);
      });
  });
}

void hlobuf::writeMemory(const MemorySummary &M, json::OStream &J) {
  J.object([&] {
    J.attribute("total_bytes", M.Total);
    J.attributeObject("kinds", [&] {
      for (size_t Kind = 0; Kind != NumMemoryKinds; ++Kind)
        J.attribute(kindKey(static_cast<MemoryKind>(Kind)), M.ByKind[Kind]);
    });
    if (M.isTimed())
      J.attribute("times", M.Times == TimeSource::Dump ? "dump" : "module");
    if (M.Capacity)
      J.attribute("capacity_bytes", *M.Capacity);
    J.attributeArray("spaces", [&] {
      for (const SpaceSummary &S : M.Spaces)
        writeSpace(S, J);
    });
    writeStated(M, J);
    writePeak(M, J);
    writeSavings(M, J);
  });
}
