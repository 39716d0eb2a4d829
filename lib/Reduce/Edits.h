// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be taken out of a module.
//
// An edit makes a module smaller or simpler and leaves one that XLA may read.
// What it computes is another thing: whether a module still shows what is
// looked for is up to a test.

#ifndef HLOBUF_REDUCE_EDITS_H
#define HLOBUF_REDUCE_EDITS_H

#include "Reduce/EditModule.h"
#include "llvm/ADT/BitVector.h"
#include <functional>

namespace hlobuf {

/// Changes a module; false where it is not applicable, as after other edits.
using Edit = std::function<bool(EditModule &)>;

/// A kind of edits.
struct EditPass {
  StringRef Name;
  /// The edits that a module offers. Those of a list may be applied together,
  /// in their order.
  std::vector<Edit> (*List)(const EditModule &);
  /// Of the edits of a list, only one is to be applied at a time.
  bool Alternatives = false;
  /// Try only once, on the whole input.
  bool Once = false;
  /// For a module that other passes have made small.
  bool Last = false;
  /// The module may get larger, which makes other passes possible.
  bool MayGrow = false;
};

/// All passes, those first that take out most.
ArrayRef<EditPass> allPasses();

// The lists of the passes.

/// Attributes that no instruction needs, such as shardings.
std::vector<Edit> dropAttributes(const EditModule &M);
/// Aliases, and what else the first line says.
std::vector<Edit> dropHeader(const EditModule &M);
std::vector<Edit> dropLayouts(const EditModule &M);
/// Only one instruction with calls, and what it is given becomes parameters.
std::vector<Edit> isolate(const EditModule &M);
std::vector<Edit> dropOutputs(const EditModule &M);
/// The root becomes one of its operands.
std::vector<Edit> moveRoot(const EditModule &M);
std::vector<Edit> useOperand(const EditModule &M);
/// An instruction becomes a new parameter of the program.
std::vector<Edit> useNewParameter(const EditModule &M);
/// An instruction is replaced by a parameter of its computation, or by an
/// element of it.
std::vector<Edit> useOldParameter(const EditModule &M);
std::vector<Edit> useConstant(const EditModule &M);
std::vector<Edit> inlineCalls(const EditModule &M);
std::vector<Edit> takeBranches(const EditModule &M);
/// A loop becomes one round of its body.
std::vector<Edit> runLoopOnce(const EditModule &M);
std::vector<Edit> dropState(const EditModule &M);
std::vector<Edit> lowerTripCounts(const EditModule &M);
std::vector<Edit> shrinkDimensions(const EditModule &M);

// What several of them need.

/// The instructions that decide how often loops run: conditions, the elements
/// of the state that they read, and what these are computed from. Without
/// \p Always empty bits where loops may be endless.
BitVector loopControl(const EditModule &M, bool Always = false);

/// Makes \p Number a constant, or a broadcast of one. False for a shape that is
/// not an array.
bool makeConstant(EditModule &M, uint32_t Number);

/// Makes \p Number, of the entry computation, a new parameter of it.
bool makeParameter(EditModule &M, uint32_t Number);

/// Element \p Index of \p Tuple, before \p Before, or for NoNumber at the end.
uint32_t insertElement(EditModule &M, uint32_t Before, uint32_t Tuple,
                       uint32_t Index);

/// A tuple of all elements of \p Tuple, at the same place.
uint32_t insertTupleOfElements(EditModule &M, uint32_t Before, uint32_t Tuple);

/// Puts a copy of \p Computation in the place of \p Number, whose parameters
/// are \p Arguments, which must not point into \p M.
bool inlineComputation(EditModule &M, uint32_t Number, uint32_t Computation,
                       ArrayRef<uint32_t> Arguments);

/// Calls \p Visit for each instruction that is there, of the entry computation
/// first, the last one first.
void forEachInstruction(const EditModule &M,
                        function_ref<void(uint32_t)> Visit);

/// For each instruction that \p Offers accepts, in that order, an edit: \p
/// Apply on it where it is still there.
std::vector<Edit> editEach(const EditModule &M,
                           function_ref<bool(uint32_t)> Offers,
                           bool (*Apply)(EditModule &, uint32_t));

} // namespace hlobuf

#endif // HLOBUF_REDUCE_EDITS_H
