//===- Draw/Picture.cpp ---------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draw/Picture.h"

using namespace hlobuf;

const Value &hlobuf::representative(const Dump &D, const PictureBlock &B) {
  for (ValueId V : B.Values)
    if (!D[V].Tag.Phi)
      return D[V];
  return D[B.Values.front()];
}
