// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An HloProto as XLA's texts.

#ifndef HLOBUF_PROTO_PROTOTEXT_H
#define HLOBUF_PROTO_PROTOTEXT_H

#include "Proto/FieldWalk.h"
#include "Proto/HloProto.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include <map>
#include <string>

namespace hlobuf {

/// What a proto holds, as the texts that all readers know.
struct ProtoTexts {
  /// As `*-buffer-assignment.txt`.
  std::string Assignment;
  /// As `*after_optimizations.txt`, with all get-tuple-elements and with async
  /// computations spelled out.
  std::string Module;
  /// What no text of XLA's holds: heap simulator traces, values at the peak,
  /// aliases. Empty if the proto has none of them.
  std::string Traces;
  /// The thunks of an executable; empty if there are none.
  std::string Thunks;
};

/// Prints \p P. Fails where a message inside it is damaged, or where the texts
/// would be much larger than it.
Expected<ProtoTexts> printTexts(const HloProto &P);

// The parts of printTexts(), one file each.

/// What is printed so far, and what went wrong.
struct TextSink {
  std::string Out;
  /// The first message that is damaged, for people; null if none is.
  const char *Damaged = nullptr;
  /// The most bytes that Out may have.
  size_t Limit = 0;
  ShapeTexts Shapes;
  bool stopped() const { return Damaged || Out.size() > Limit; }
  void damaged(const char *Text) { Damaged = Damaged ? Damaged : Text; }
  /// Appends the ShapeProto \p Shape to \p To.
  void shape(StringRef Shape, bool WithLayout, std::string &To) {
    if (!Shapes.print(Shape, WithLayout, To))
      damaged("a ShapeProto");
  }
};

/// As `*after_optimizations.txt`.
void printModule(const ProtoModule &M, TextSink &To);
/// As `*-buffer-assignment.txt`.
void printAssignment(const HloProto &P, TextSink &To);
/// What only protos hold.
void printTraces(const HloProto &P, TextSink &To);

/// Compares fields of the executable \p P that must agree, each with what it
/// repeats, but for those of thunks. Hands \p Report a text without line breaks
/// for each difference: the field, what it says, and what it must. Returns the
/// rows that were compared.
FieldRows compareFields(const HloProto &P,
                        function_ref<void(const std::string &)> Report);
/// An input_output_alias.
struct ProtoAlias {
  int64_t Parameter = 0;
  SmallVector<int64_t, 4> Index;
  int64_t Kind = 0;

  bool operator==(const ProtoAlias &) const = default;
};
/// By index of the output.
using ProtoAliases = std::map<SmallVector<int64_t, 4>, ProtoAlias>;

/// Compares the copies of allocations, outputs and constants that a GPU runs by
/// with the module, whose aliases are \p Aliases, and the assignment of \p P;
/// as compareFields() does.
FieldRows compareGpuCopies(const HloProto &P, const ProtoAliases &Aliases,
                           function_ref<void(const std::string &)> Report);
/// The same of its header, SerializedXlaExecutableMetadata (xla/python/
/// pjrt_ifrt/executable_metadata.proto, 2025). Fields with a value that has no
/// rule become \p Unread.
FieldRows compareHeader(const HloProto &P, FieldWalk &Unread,
                        function_ref<void(const std::string &)> Report);
/// True if \p Executable, a HostOffloadingExecutableProto (xla/core/
/// host_offloading/host_offloading_executable.proto, 2025), is of what \p
/// Start, an asynchronous start of \p M, calls: its module is that computation
/// with all below it, but for names and memory spaces, and was compiled with
/// the same arguments and result.
bool isHostProgram(const ProtoModule &M, const ProtoInstruction &Start,
                   StringRef Executable);
/// The thunks of an executable (CompilationResultProto of
/// xla/service/cpu/executable.proto, 2025-01-29 on; GpuExecutableProto of
/// xla/service/gpu/gpu_executable.proto, 2026-03 on), one line each. XLA has no
/// text for them; docs/thunks.md describes this one, and Dump/ThunkReader.cpp
/// reads it.
void printThunks(const HloProto &P, TextSink &To);

/// Appends the attributes of \p I, each after a `, `.
void printAttributes(const ProtoModule &M, const ProtoInstruction &I,
                     TextSink &To);

/// \p Name, with what no name of XLA's has replaced by `?`: a line of text
/// stays one line.
std::string plainName(StringRef Name);
void appendName(std::string &Out, StringRef Name);

/// Says of fields what they are, and what they must be.
struct FieldReport {
  function_ref<void(const std::string &)> Report;
  FieldRows Done = {};

  /// Call after comparing the fields \p Numbers of an \p In.
  void compared(FieldType In, std::initializer_list<uint32_t> Numbers) {
    for (uint32_t Number : Numbers)
      Done.insert({In, Number});
  }

  template <typename... Ts>
  void differs(fmt::format_string<Ts...> Text, Ts &&...Args) {
    Report(fmt::format(Text, std::forward<Ts>(Args)...));
  }
  void expect(StringRef Field, int64_t Stated, int64_t Expected) {
    if (Stated != Expected)
      differs("{} is {}, and must be {}", Field, Stated, Expected);
  }
  void expectName(StringRef Field, StringRef Stated, StringRef Expected) {
    if (Stated != Expected)
      differs("{} is '{}', and must be '{}'", Field, plainName(Stated),
              plainName(Expected));
  }
};

/// `{0,1}`.
std::string indexText(ArrayRef<int64_t> Index);

/// `{0, 1}`, as ShapeIndex::ToString spells aliases.
std::string spacedIndex(ArrayRef<int64_t> Index);

/// `<12 add.1{0} (phi) @0>`: the value \p Id, as the dump spells it.
void appendValueTag(std::string &Out, const HloProto &P, int64_t Id);

/// \p Bytes in quotes and C escapes.
std::string quoted(StringRef Bytes);

} // namespace hlobuf

#endif // HLOBUF_PROTO_PROTOTEXT_H
