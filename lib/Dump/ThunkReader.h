// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the program that runs.

#ifndef HLOBUF_DUMP_THUNKREADER_H
#define HLOBUF_DUMP_THUNKREADER_H

#include "Dump/SectionReader.h"

namespace hlobuf {

/// Fills Dump::Thunks.
class ThunkReader : public SectionReader {
public:
  using SectionReader::SectionReader;
  void readThunks(LineCursor &In);

private:
  enum class Part : uint8_t {
    Thunks,
    Symbols,
    Allocations,
    Constants,
    Outputs
  };
  /// A sequence that the next thunk may belong to.
  struct OpenSequence {
    ThunkSequenceId Id;
    size_t Depth = 0;
    /// Its last thunk.
    ThunkId Last;
  };

  bool readHeading(llvm::StringRef Line);
  bool readRow(llvm::StringRef Line);
  bool readSymbol(llvm::StringRef Line);
  bool readAllocation(llvm::StringRef Line);
  bool readEntry(llvm::StringRef Line, std::vector<ThunkEntry> &To);
  bool readIndented(llvm::StringRef Line);
  bool readThunk(llvm::StringRef Text);
  bool readAttribute(Scanner &Row, Thunk &T);
  bool readSlice(Scanner &Row);
  bool readSequence(ThunkRole Role, llvm::StringRef Text, Scanner &Row,
                    size_t Depth);
  bool readResource(llvm::StringRef Text, Scanner &Row);
  void open(ThunkSequence Sequence, size_t Depth);
  void close(size_t Depth);

  Part Here = Part::Thunks;
  llvm::SmallVector<OpenSequence, 8> Open;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_THUNKREADER_H
