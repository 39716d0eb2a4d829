// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Printer.h"
#include "Dump/Places.h"
#include "Support/Format.h"

using namespace hlobuf;

/// \p Number with its thousands separated by spaces.
static std::string spacedNumber(uint64_t Number) {
  std::string Digits = std::to_string(Number);
  for (size_t I = Digits.size(); I > 3; I -= 3)
    Digits.insert(I - 3, 1, ' ');
  return Digits;
}

std::string hlobuf::stackLine(StringRef Name, StringRef Percent, uint64_t Total,
                              uint64_t Current, int64_t Remaining) {
  return fmt::format(
      "{} ({}%, total: {} bytes, current: {} bytes, remaining: {}{} bytes)",
      Name, Percent, spacedNumber(Total), spacedNumber(Current),
      Remaining < 0 ? "-" : "", spacedNumber(uint64_t(std::abs(Remaining))));
}

std::string hlobuf::allocationHeader(const Dump &D, const Allocation &A,
                                     StringRef SizeText) {
  std::string Out = fmt::format("allocation {}: ", A.Index);
  AllocationTexts Texts;
  if (A.HasPointer || A.HasUnknown)
    Texts = Places(D).header(A);
  if (A.HasPointer)
    appendFormat(Out, "{}, ", Texts.Pointer);
  appendFormat(Out, "size {}", SizeText);
  if (A.Color != 0)
    appendFormat(Out, ", color {}", A.Color);
  if (A.Page)
    appendFormat(Out, ", page {}", *A.Page);
  if (A.Parameter) {
    appendFormat(Out, ", parameter {}", A.ParameterNumber);
    if (A.UnknownParameterShape)
      Out += ", shape |<unknown shape>|";
    else if (A.ParameterShape)
      appendFormat(Out, ", shape |{}|", D.Shapes.plainText(A.ParameterShape));
    appendFormat(Out, " at ShapeIndex {}", D.Indices.text(A.ParameterIndex));
  }
  if (A.hasOutputShape())
    appendFormat(Out, ", output shape is |{}|",
                 D.Shapes.plainText(A.OutputShape));
  if (A.Constant)
    Out += ", constant";
  if (A.ThreadLocal)
    Out += ", thread-local";
  if (A.MaybeLiveOut)
    Out += ", maybe-live-out";
  if (A.PreallocatedTemp)
    Out += ", preallocated-temp";
  Out += Texts.Unknown;
  Out += ':';
  return Out;
}
