// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows, numbers of dimensions.

#ifndef HLOBUF_PROTO_DIMENSIONTEXT_H
#define HLOBUF_PROTO_DIMENSIONTEXT_H

#include "Proto/FieldPrinter.h"

namespace hlobuf {

/// Prints the attributes of one instruction that are about dimensions.
class DimensionPrinter : public FieldPrinter {
public:
  using FieldPrinter::FieldPrinter;
  void printSlice();
  void printWindow();
  void printPadding();
  void printConvolution();
  void printDot();
  void printGather();
  void printScatter();
};

/// What follows `window=` for the WindowProto \p Window: `{size=3x3
/// pad=1_1x1_1}`; empty if it has no dimension.
std::string windowText(llvm::StringRef Window);

/// What follows `dim_labels=` for a ConvolutionDimensionNumbers:
/// `b01f_01io->b01f`.
std::string convolutionLabels(llvm::StringRef Numbers);

} // namespace hlobuf

#endif // HLOBUF_PROTO_DIMENSIONTEXT_H
