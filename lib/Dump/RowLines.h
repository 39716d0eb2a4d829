// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows are in their text.

#ifndef HLOBUF_DUMP_ROWLINES_H
#define HLOBUF_DUMP_ROWLINES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hlobuf {

/// A row, by its number in a flat array of the model, and the offset of a line
/// from which on it is found.
struct RowPlace {
  uint32_t Row = 0;
  uint32_t Line = 0;
};

/// The offsets of lines, one of 16: the other rows are found by reading on from
/// there.
class RowLines {
public:
  /// Row number \p Row, the next one of the array, is at \p Line.
  void note(size_t Row, uint32_t Line) {
    if (Row % Distance == 0)
      Kept.push_back(Line);
  }
  /// Forgets the rows from \p NumRows on.
  void truncate(size_t NumRows) {
    Kept.resize((NumRows + Distance - 1) / Distance);
  }
  void clear() { Kept.clear(); }

  /// The last row up to \p Row that is kept, or \p Begin if that is after it.
  RowPlace before(uint32_t Row, RowPlace Begin = {}) const {
    uint32_t Number = Row / Distance;
    if (Number * Distance < Begin.Row)
      return Begin;
    return {Number * Distance, Kept[Number]};
  }

private:
  static constexpr uint32_t Distance = 16;
  std::vector<uint32_t> Kept;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_ROWLINES_H
