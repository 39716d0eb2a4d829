// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows and numbers of dimensions.

#include "Proto/DimensionText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::field;
using llvm::StringRef;

void DimensionPrinter::printSlice() {
  struct Range {
    int64_t Start, Limit, Stride;
  };
  llvm::SmallVector<Range, 6> All;
  WireReader In(I.Bytes);
  for (WireField F; In.next(F);)
    if (F.Number == SliceDimensions && F.isMessage())
      All.push_back({numberField(F.Bytes, 1).value_or(0),
                     numberField(F.Bytes, 2).value_or(0),
                     numberField(F.Bytes, 3).value_or(0)});
  bool Strided =
      llvm::any_of(All, [](const Range &R) { return R.Stride != 1; });
  To.Out += ", slice={";
  for (size_t D = 0; D != All.size(); ++D) {
    To.Out +=
        fmt::format("{}[{}:{}", D == 0 ? "" : ", ", All[D].Start, All[D].Limit);
    To.Out += Strided ? fmt::format(":{}]", All[D].Stride) : "]";
  }
  To.Out += '}';
}

void DimensionPrinter::printPadding() {
  struct Edge {
    int64_t Low, High, Interior;
  };
  llvm::SmallVector<Edge, 6> All;
  forEachField(message(Padding), [&](const WireField &F) {
    if (F.Number == 1 && F.isMessage())
      All.push_back({numberField(F.Bytes, 1).value_or(0),
                     numberField(F.Bytes, 2).value_or(0),
                     numberField(F.Bytes, 3).value_or(0)});
  });
  bool Interior =
      llvm::any_of(All, [](const Edge &E) { return E.Interior != 0; });
  To.Out += ", padding=";
  for (size_t D = 0; D != All.size(); ++D) {
    To.Out +=
        fmt::format("{}{}_{}", D == 0 ? "" : "x", All[D].Low, All[D].High);
    if (Interior)
      To.Out += fmt::format("_{}", All[D].Interior);
  }
}

/// window_util::ToString (xla/window_util.cc).
std::string hlobuf::windowText(StringRef Window) {
  struct Part {
    uint32_t Field;
    StringRef Heading;
    int64_t Usual;
  };
  static constexpr Part Parts[] = {
      {1, "size", INT64_MIN}, {2, " stride", 1},     {3, " pad", 0},
      {6, " lhs_dilate", 1},  {5, " rhs_dilate", 1}, {7, " rhs_reversal", 0}};
  llvm::SmallVector<StringRef, 6> All;
  forEachField(Window, [&](const WireField &F) {
    if (F.Number == 1 && F.isMessage())
      All.push_back(F.Bytes);
  });
  if (All.empty())
    return "";
  std::string Out = "{";
  for (const Part &P : Parts) {
    auto Has = [&](StringRef D, uint32_t Field) {
      return numberField(D, Field).value_or(0) != P.Usual;
    };
    bool Pad = P.Field == 3;
    if (llvm::none_of(All, [&](StringRef D) {
          return Has(D, P.Field) || (Pad && Has(D, 4));
        }))
      continue;
    Out += P.Heading;
    StringRef Separator = "=";
    for (StringRef D : All) {
      Out +=
          fmt::format("{}{}", Separator, numberField(D, P.Field).value_or(0));
      if (Pad)
        Out += fmt::format("_{}", numberField(D, 4).value_or(0));
      Separator = "x";
    }
  }
  return Out + '}';
}

void DimensionPrinter::printWindow() {
  if (std::string Text = windowText(message(Window)); !Text.empty())
    To.Out += ", window=" + Text;
}

/// The letters of one operand of a convolution, such as `b01f`.
static std::string dimensionLabels(int64_t First, char FirstLabel,
                                   int64_t Second, char SecondLabel,
                                   llvm::ArrayRef<int64_t> Spatial) {
  constexpr int64_t MostDimensions = 64;
  std::string Labels(Spatial.size() + 2, '?');
  auto Put = [&](int64_t At, char Label) {
    if (At < 0 || At >= MostDimensions)
      return;
    if (static_cast<size_t>(At) >= Labels.size())
      Labels.resize(static_cast<size_t>(At) + 1, '?');
    Labels[static_cast<size_t>(At)] = Label;
  };
  Put(First, FirstLabel);
  Put(Second, SecondLabel);
  for (size_t D = 0; D != Spatial.size() && D != 10; ++D)
    Put(Spatial[D], static_cast<char>('0' + D));
  return Labels;
}

std::string hlobuf::convolutionLabels(StringRef N) {
  auto At = [&](uint32_t Field) { return numberField(N, Field).value_or(0); };
  return fmt::format(
      "{}_{}->{}", dimensionLabels(At(7), 'b', At(8), 'f', numbersField(N, 11)),
      dimensionLabels(At(3), 'i', At(4), 'o', numbersField(N, 6)),
      dimensionLabels(At(9), 'b', At(10), 'f', numbersField(N, 12)));
}

void DimensionPrinter::printConvolution() {
  To.Out += ", dim_labels=" + convolutionLabels(message(ConvolutionNumbers));
  for (auto [Key, Field] : {std::pair("feature_group_count", FeatureGroups),
                            std::pair("batch_group_count", BatchGroups)})
    if (numberField(I.Bytes, Field).value_or(1) > 1)
      number(Key, Field);
}

void DimensionPrinter::printDot() {
  StringRef Numbers = message(DotNumbers);
  listIfAny("lhs_batch_dims", numbersField(Numbers, 3));
  list("lhs_contracting_dims", numbersField(Numbers, 1));
  listIfAny("rhs_batch_dims", numbersField(Numbers, 4));
  list("rhs_contracting_dims", numbersField(Numbers, 2));
}

void DimensionPrinter::printGather() {
  StringRef N = message(GatherNumbers);
  list("offset_dims", numbersField(N, 1));
  list("collapsed_slice_dims", numbersField(N, 2));
  list("start_index_map", numbersField(N, 3));
  listIfAny("operand_batching_dims", numbersField(N, 5));
  listIfAny("start_indices_batching_dims", numbersField(N, 6));
  To.Out += fmt::format(", index_vector_dim={}", numberField(N, 4).value_or(0));
  list("slice_sizes", numbersField(I.Bytes, GatherSliceSizes));
  flag("indices_are_sorted", IndicesSorted);
}

void DimensionPrinter::printScatter() {
  StringRef N = message(ScatterNumbers);
  list("update_window_dims", numbersField(N, 1));
  list("inserted_window_dims", numbersField(N, 2));
  list("scatter_dims_to_operand_dims", numbersField(N, 3));
  listIfAny("input_batching_dims", numbersField(N, 5));
  listIfAny("scatter_indices_batching_dims", numbersField(N, 6));
  To.Out += fmt::format(", index_vector_dim={}", numberField(N, 4).value_or(0));
  flag("indices_are_sorted", IndicesSorted);
  flag("unique_indices", UniqueIndices);
}
