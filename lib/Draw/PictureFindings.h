// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as marks.

#ifndef HLOBUF_DRAW_PICTUREFINDINGS_H
#define HLOBUF_DRAW_PICTUREFINDINGS_H

#include "Draw/Picture.h"
#include "Results/Result.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf {

/// The values that findings name.
class NamedValues {
public:
  NamedValues(const Facts &DumpFacts, const DumpResult &R);
  bool contains(ValueId V) const { return Values.contains(V.index()); }

private:
  llvm::DenseSet<uint32_t> Values;
};

/// The findings of \p R that are not silenced, with what they mark of the
/// blocks of \p P.
std::vector<PictureFinding> markFindings(const Facts &DumpFacts,
                                         const DumpResult &R, const Picture &P);

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTUREFINDINGS_H
