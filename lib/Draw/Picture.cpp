// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Draw/Picture.h"

using namespace hlobuf;

ValueId hlobuf::representative(const Dump &D, const Picture &P,
                               const PictureBlock &B) {
  for (ValueId V : P.values(B))
    if (!D[V].Tag.Phi)
      return V;
  return P.values(B).front();
}
