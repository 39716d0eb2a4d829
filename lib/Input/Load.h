// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input to model.

#ifndef HLOBUF_INPUT_LOAD_H
#define HLOBUF_INPUT_LOAD_H

#include "Dump/Model.h"
#include "Dump/Reader.h"
#include "Input/Inputs.h"
#include "Support/Diagnostic.h"
#include "Support/OrderedRun.h"
#include "llvm/ADT/StringExtras.h"

namespace hlobuf {

/// Siblings given by hand, by role; empty ones are looked for by name.
using SiblingPaths = std::array<std::string, NumFileRoles>;

/// A dump with the texts that it points into.
struct LoadedDump {
  /// Owns what Texts only views; null if there are no frames.
  std::shared_ptr<const FrameFile> Frames;
  Sources Texts;
  std::unique_ptr<Dump> Model;
  /// The assignment was taken out of another text.
  bool Pasted = false;
  /// Lines that could not be read.
  SyntaxErrors Syntax;
  /// Siblings that hold nothing that could be read, and why; load() makes them
  /// findings.
  std::vector<Note> Unreadable;
  /// Siblings that are next to the dump and were not used: `file (reason)`.
  std::vector<std::string> Unused;

  /// The assignment turns out to be cut off.
  void noteCutAssignment(std::string Evidence);
  /// Says so of one that is known to be, and takes away what it lacks.
  void reportCutAssignment();

  /// False if a file of it was cut off, or could not be read at all. What is
  /// missing then is neither saved nor wrong.
  bool isWhole() const;
  /// What could not be read, as `file:line:column: reason`.
  std::vector<std::string> damage() const;
};

/// Finds the siblings of \p In: those that are given, else by name.
void locateFiles(Input &In, const SiblingPaths &Siblings = {});

/// Reads \p In with its siblings, as locateFiles() finds them. Fails where a
/// file cannot be read or the assignment is none.
Expected<std::unique_ptr<LoadedDump>> load(Input In,
                                           const SiblingPaths &Siblings = {});

/// The same for tools that need all of a dump: fails also where a line of it
/// cannot be read, with a line for each.
Expected<std::unique_ptr<LoadedDump>> loadWhole(const Input &In);

/// Reads the dumps that \p Paths stand for on \p Jobs threads. \p Work makes
/// something of each, as Expected: it takes the Input and the dump. \p
/// Consume takes these in order, \p Fail what went wrong, a line each.
template <typename WorkFn, typename ConsumeFn>
void forEachDump(ArrayRef<std::string> Paths, unsigned Jobs, WorkFn Work,
                 ConsumeFn Consume, function_ref<void(StringRef)> Fail) {
  InputList List = findInputs(Paths);
  for (const InputError &Error : List.Errors)
    Fail(Error.Text);
  using Result = decltype(Work(List.Dumps[0], nullptr));
  runInOrder(
      List.Dumps.size(), Jobs,
      [&](size_t I) -> Result {
        Expected<std::unique_ptr<LoadedDump>> L = loadWhole(List.Dumps[I]);
        if (!L)
          return L.takeError();
        return Work(List.Dumps[I], std::move(*L));
      },
      [&](size_t I, Result &Loaded) {
        if (Loaded)
          return Consume(List.Dumps[I], *Loaded);
        std::string Text = llvm::toString(Loaded.takeError());
        for (StringRef Line : llvm::split(Text, '\n'))
          Fail(Line);
      });
}

/// `m.txt:7:3: why it is malformed`: the first line of \p L's HLO module that
/// is refused, for which all of it is left out. Empty if the module is read, or
/// absent.
std::string malformedModule(const LoadedDump &L);

} // namespace hlobuf

#endif // HLOBUF_INPUT_LOAD_H
