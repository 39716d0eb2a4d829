// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary for programs.

#include "Memory/MemorySummary.h"
#include "Support/Json.h"

using namespace hlobuf;
namespace json = llvm::json;

static StringRef kindKey(MemoryKind Kind) {
  return Kind == MemoryKind::ThreadLocal ? "thread_local"
         : Kind == MemoryKind::LiveOut   ? "live_out"
                                         : kindName(Kind);
}

static void write(json::OStream &J, StringRef Key, StringRef Text) {
  if (!Text.empty())
    writeText(J, Key, Text);
}

static void writeRow(const HeldRow &Row, json::OStream &J) {
  write(J, "value", Row.Name);
  J.attribute("bytes", Row.Bytes);
  J.attribute("unpadded_bytes", Row.Unpadded);
  writeText(J, "shape", Row.Shape);
  J.attribute("kind", kindKey(Row.Kind));
  J.attribute("allocation", Row.Allocation);
  const ValueName &Called = Row.Called;
  write(J, "name", Called.text());
  J.attribute("role", roleName(Called.Role));
  write(J, "op_name", Called.OpName);
  write(J, "source", Called.Source);
  if (Called.ForBackward)
    J.attribute("for_backward", true);
  if (Called.Role == ValueRole::Collected) {
    write(J, "loop", Called.LoopText);
    J.attribute("parts", Called.Parts);
  }
  if (Row.Idle == Row.Bytes)
    J.attribute("live", false);
  if (Row.Idle != 0)
    J.attribute("idle_bytes", Row.Idle);
}

static void writeSpace(const SpaceSummary &Space, bool IsTimed,
                       json::OStream &J) {
  J.attribute("color", Space.Color);
  writeText(J, "name", Space.Name);
  J.attribute("bytes", Space.Allocated);
  J.attribute("resident_bytes", Space.Resident);
  if (!IsTimed)
    return;
  J.attribute("peak_step", Space.PeakStep);
  writeText(J, "peak_instruction", Space.Instruction);
  J.attribute("peak_bytes", Space.Peak);
  J.attribute("unpadded_peak_bytes", Space.Unpadded);
  J.attribute("idle_peak_bytes", Space.Idle);
}

static void writeStated(const StatedPeak &Stated, json::OStream &J) {
  J.attributeObject("xla_peak", [&] {
    J.attribute("step", Stated.Step);
    J.attribute("bytes", Stated.Bytes);
    if (Stated.HeldBytes)
      J.attribute("held_bytes", *Stated.HeldBytes);
  });
}

static void writeSavings(const MemorySummary &Summary, json::OStream &J) {
  writeRows(J, "savings", Summary.Savings, [&](const WasteRow &Item) {
    J.attribute("check", Item.Check);
    J.attribute("bytes", Item.Saved);
    if (Item.Count > 1)
      J.attribute("count", Item.Count);
    write(J, "message", Item.Message);
    write(J, "hint", Item.Hint);
  });
  if (Summary.Donation)
    J.attributeObject("donation", [&] {
      J.attribute("kept", Summary.Donation->Effective);
      J.attribute("missed", Summary.Donation->Missed);
      J.attribute("possible", Summary.Donation->Possible);
      J.attribute("bytes", Summary.Donated.Bytes);
      J.attribute("saved_bytes", Summary.Donated.Saved);
      writeRows(J, "lossy", Summary.Donated.Lossy, [&](const Donation &Item) {
        writeText(J, "argument", Item.Argument);
        J.attribute("bytes", Item.Bytes);
        J.attribute("saved_bytes", Item.Saved);
        write(J, "why", Item.Why);
        write(J, "change", Item.Change);
      });
    });
  writeRows(J, "stored_invariants", Summary.Stored,
            [&](const StoredInvariant &S) {
              writeText(J, "name", S.Name);
              writeText(J, "what", S.What);
              writeText(J, "loop", S.Loop);
              J.attribute("bytes", S.Bytes);
              J.attribute("trips", S.Trips);
            });
}

static void writeRecomputed(const Recomputation &Row, json::OStream &J) {
  write(J, "source", Row.Source);
  J.attribute("checkpoints", Row.Checkpoints);
  J.attribute("products", Row.Products);
  J.attribute("held_bytes", Row.Held);
  if (Row.Layers == 0)
    return;
  J.attribute("layers", Row.Layers);
  J.attribute("predicted_bytes", Row.Predicted);
}

static void writeBounds(StringRef Key, uint64_t Least, uint64_t Most,
                        json::OStream &J) {
  J.attributeObject(Key, [&] {
    J.attribute("least", Least);
    J.attribute("most", Most);
  });
}

void hlobuf::writeCopyRows(ArrayRef<CopyRow> Rows, json::OStream &J) {
  writeRows(J, "copies", Rows, [&](const CopyRow &Row) {
    write(J, "what", Row.What);
    J.attribute("cause", causeName(Row.Cause));
    J.attribute("bytes", Row.Bytes);
    J.attribute("read_bytes", Row.Read);
    J.attribute("written_bytes", Row.Written);
    writeBounds("runs", Row.LeastRuns, Row.MostRuns, J);
    write(J, "unknown_loop", Row.UnknownLoop);
    writeTexts(J, "names", Row.Names);
    write(J, "op_name", Row.OpName);
    write(J, "source", Row.Source);
    write(J, "why", Row.Why);
    write(J, "older", Row.Older);
    write(J, "reader", Row.Reader);
    write(J, "newer", Row.Newer);
    write(J, "writer", Row.Writer);
    write(J, "change", Row.Change);
  });
}

static void writeCopies(const CopyTable &Copies, json::OStream &J) {
  J.attributeObject("traffic", [&] {
    J.attribute("read_bytes", Copies.All.Read);
    J.attribute("written_bytes", Copies.All.Written);
    writeBounds("copied_bytes", Copies.LeastCopied, Copies.MostCopied, J);
  });
  writeCopyRows(ArrayRef(Copies.Rows).take_front(Copies.NumShown), J);
}

static void writePeak(const MemorySummary &Summary, json::OStream &J) {
  writeRows(J, "largest", Summary.Largest,
            [&](const HeldRow &Row) { writeRow(Row, J); });
  writeRows(J, "groups", Summary.Groups, [&](const HeldGroup &Group) {
    J.attribute("count", Group.Count);
    J.attribute("total_bytes", Group.Bytes);
    write(J, "label", Group.Label);
    if (Group.Shapes > 1)
      J.attribute("shapes", Group.Shapes);
    writeRow(Group.First, J);
  });
  writeRows(J, "tree", Summary.Tree, [&](const TreeLine &T) {
    J.attribute("depth", T.Depth);
    writeText(J, "label", T.Label);
    J.attribute("bytes", T.Bytes);
  });
}

void hlobuf::writeMemory(const MemorySummary &Summary, json::OStream &J) {
  J.object([&] {
    J.attribute("total_bytes", Summary.Total);
    J.attributeObject("kinds", [&] {
      for (size_t Kind = 0; Kind != NumMemoryKinds; ++Kind)
        J.attribute(kindKey(MemoryKind(Kind)), Summary.ByKind[Kind]);
    });
    if (Summary.isTimed())
      J.attribute("times",
                  Summary.Times == TimeSource::Dump ? "dump" : "module");
    if (Summary.Capacity)
      J.attribute("capacity_bytes", *Summary.Capacity);
    writeRows(J, "spaces", Summary.Spaces, [&](const SpaceSummary &Space) {
      writeSpace(Space, Summary.isTimed(), J);
    });
    if (Summary.Stated)
      writeStated(*Summary.Stated, J);
    if (!Summary.StatedKinds.empty())
      writeRows(J, "stated", Summary.StatedKinds, [&](const StatedBytes &Kind) {
        J.attribute("bytes", Kind.Bytes);
        writeText(J, "text", Kind.Text);
      });
    if (Summary.ResidualBytes != 0)
      J.attribute("kept_for_backward_bytes", Summary.ResidualBytes);
    writePeak(Summary, J);
    writeSavings(Summary, J);
    writeRows(J, "recomputed", Summary.Recomputed,
              [&](const Recomputation &Row) { writeRecomputed(Row, J); });
    if (Summary.Copies)
      writeCopies(*Summary.Copies, J);
    if (!Summary.Answers.empty())
      writeRows(J, "answers", Summary.Answers, [&](const WhyAnswer &Answer) {
        write(J, "question", Answer.Question);
        writeTexts(J, "lines", Answer.Lines);
      });
  });
}
