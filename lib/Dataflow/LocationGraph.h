// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values come from.

#ifndef HLOBUF_DATAFLOW_LOCATIONGRAPH_H
#define HLOBUF_DATAFLOW_LOCATIONGRAPH_H

#include "Program/Program.h"

namespace hlobuf {

/// What is at a location.
enum class LocationKind : uint8_t {
  /// Nothing is known to be there.
  None,
  /// A value that the instruction defines.
  Definition,
  /// What is at another location.
  Forward,
  /// One of what is at several others.
  Phi,
};

/// The locations of a program, which are the parts of all instructions that
/// have values, and how values get from one to another.
class LocationGraph {
public:
  /// Nothing is known of any location at first.
  explicit LocationGraph(const Program &P);

  const Program &program() const { return P; }
  /// Number of locations.
  size_t size() const { return Kinds.size(); }
  /// False inside of fusions.
  bool hasLocations(HloId Id) const { return Base[Id.index()] != NoBase; }
  /// Part \p Ordinal of \p Id, which has locations.
  uint32_t location(HloId Id, uint32_t Ordinal) const {
    return Base[Id.index()] + Ordinal;
  }
  LocationKind kind(uint32_t Location) const { return Kinds[Location]; }

  void define(uint32_t Location) { Kinds[Location] = LocationKind::Definition; }
  void forward(uint32_t Location, uint32_t From) {
    Kinds[Location] = LocationKind::Forward;
    Source[Location] = From;
  }
  /// A phi of \p Inputs. One input is forwarded; none says nothing.
  void join(uint32_t Location, SmallVector<uint32_t, 2> Inputs);

  /// A compiler may simplify phis in different ways: those for which
  /// \p HasValue says that the dump has a value there stay. Any other is the
  /// one value that reaches it, and stays where several do.
  void settlePhis(function_ref<bool(HloId, uint32_t)> HasValue);

  /// A start gets the token of \p Ordinal once values have places (libtpu
  /// 0.0.23 for SparseCores): it is there, and in no position.
  bool isLateToken(HloId Id, uint32_t Ordinal) const;

  /// The definition or phi that \p Location forwards, itself if it is one.
  /// Shortens the way for later.
  uint32_t find(uint32_t Location);

  /// By instruction, the location of its first part, or NoBase.
  std::vector<uint32_t> takeBase() { return std::move(Base); }
  static constexpr uint32_t NoBase = ~uint32_t(0);

private:
  const Program &P;
  std::vector<uint32_t> Base;
  std::vector<LocationKind> Kinds;
  /// Forward: the source. Phi: number in PhiInputs.
  std::vector<uint32_t> Source;
  std::vector<SmallVector<uint32_t, 2>> PhiInputs;
};

/// Fills \p Graph with what the module implies for a dump of \p Window
/// (xla/hlo/analysis/hlo_dataflow_analysis.cc).
void linkModuleFlow(LocationGraph &Graph, const ReleaseWindow &Window);
/// The same of a program from texts, as far as opcodes tell: what an
/// instruction defines, and what it forwards by the rows HLOBUF_FORWARD. All
/// else is what positions say, and stays unknown where they name no value, or
/// several.
void linkStatedFlow(LocationGraph &Graph);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_LOCATIONGRAPH_H
