// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows by the ids that a file gives them.

#ifndef HLOBUF_SUPPORT_FIRSTROWS_H
#define HLOBUF_SUPPORT_FIRSTROWS_H

#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace hlobuf {

/// The first row that has an id: an array where ids are about as dense as rows,
/// as those that XLA counts are, else a hash table.
class FirstRows {
public:
  static constexpr uint32_t None = ~uint32_t(0);

  /// For ids of \p Rows, as \p IdOf(row) gives them.
  template <typename RowT, typename IdFn>
  FirstRows(const std::vector<RowT> &Rows, IdFn IdOf) {
    uint64_t Greatest = 0;
    for (const RowT &Row : Rows)
      Greatest = std::max<uint64_t>(Greatest, IdOf(Row));
    if (Greatest < 4 * Rows.size() + 64)
      Dense.assign(Greatest + 1, None);
    for (uint32_t I = 0; I != Rows.size(); ++I)
      note(IdOf(Rows[I]), I);
  }

  /// None if no row has \p Id.
  uint32_t operator[](uint32_t Id) const {
    if (!Dense.empty())
      return Id < Dense.size() ? Dense[Id] : None;
    auto Found = Sparse.find(Id);
    return Found == Sparse.end() ? None : Found->second;
  }

private:
  void note(uint32_t Id, uint32_t Row) {
    if (Dense.empty())
      Sparse.try_emplace(Id, Row);
    else if (Dense[Id] == None)
      Dense[Id] = Row;
  }

  std::vector<uint32_t> Dense;
  /// By 64 bits: those of 32 bits have two keys less.
  llvm::DenseMap<uint64_t, uint32_t> Sparse;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_FIRSTROWS_H
