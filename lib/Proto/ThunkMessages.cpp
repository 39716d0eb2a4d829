// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/ThunkMessages.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;

ThunkParts::ThunkParts(ThunkMessage Thunk, StringRef Message) {
  read(Thunk, Message);
  applyInvariants();
  applyFlags(Thunk);
  applyNorm();
  applyLoader();
  applyKindText();
  if (Kind == ThunkKind::RaggedAllToAll)
    applyRagged();
  if (DynamicRoot && !Slices.empty() &&
      Slices.back().Access == ThunkAccess::Write)
    Slices.pop_back();
  if (!EmbeddedSizes.empty())
    EmbeddedSizes.pop_back();
  if (Kind == ThunkKind::Unknown && Unknown.empty())
    Unknown = "none";
  if (!Unknown.empty())
    attribute("unknown", Unknown);
}

void ThunkParts::noteUnknown(StringRef Message, uint32_t Number) {
  if (!Unknown.empty())
    Unknown += ',';
  Unknown += fmt::format("{}.{}", Message, Number);
}

void ThunkParts::attribute(StringRef Key, StringRef Value) {
  Attributes += fmt::format(" {}={}", Key, Value);
}

void ThunkParts::read(ThunkMessage In, StringRef Message) {
  bool Good = forEachField(Message, [&](const WireField &F) {
    if (const ThunkField *Row = findThunkField(In, F.Number))
      readField(In, *Row, F);
    else
      noteUnknown(thunkMessageName(In), F.Number);
  });
  for (const ThunkField &Row : thunkFields(In))
    if (Row.Is == ThunkField::Use::Attribute)
      Good &= readAttribute(Row, Message);
  Damaged |= !Good;
}

/// Adds attribute \p Row of \p Message, once for each of its values. False
/// where a part is damaged.
bool ThunkParts::readAttribute(const ThunkField &Row, StringRef Message) {
  AttributeForm Form = Row.Spelled;
  if (isRepeatedForm(Form)) {
    std::string All = repeatedText(Form, Message, Row.Number);
    if (All != "{}")
      attribute(Row.Key, All);
  }
  bool Good = true;
  forEachField(Message, [&](const WireField &F) {
    if (F.Number != Row.Number)
      return;
    if (Form == AttributeForm::Collective)
      return attribute("collective", Row.Key);
    if (Form != AttributeForm::List && Form != AttributeForm::Types)
      Good &= F.isMessage() != isNumberForm(Form);
    if (std::string Text = valueText(Form, F); Good && !Text.empty())
      attribute(Row.Key, Text);
  });
  return Good;
}

void ThunkParts::readField(ThunkMessage In, const ThunkField &Row,
                           const WireField &F) {
  using Use = ThunkField::Use;
  if (Row.Is == Use::Other || Row.Is == Use::Attribute)
    return;
  if (Row.Is == Use::Value)
    return readValue(Row.Value, F);
  if (!F.isMessage()) {
    Damaged = true;
    return;
  }
  switch (Row.Is) {
  case Use::Impl:
    if (Kind != ThunkKind::Unknown)
      noteUnknown(thunkMessageName(In), Row.Number);
    Kind = Row.Kind;
    return read(Row.Message, F.Bytes);
  case Use::Part:
    return read(Row.Message, F.Bytes);
  case Use::Slice:
    return addSlice(Row, F.Bytes);
  case Use::Sequence:
    Sequences.push_back({Row.Role, F.Bytes});
    return;
  case Use::List:
    List.push_back(F.Bytes);
    return;
  case Use::Value:
  case Use::Attribute:
  case Use::Other:
    return;
  }
}

void ThunkParts::readValue(ThunkValue Value, const WireField &F) {
  auto Text = [&](StringRef Key) { attribute(Key, plainName(F.Bytes)); };
  auto Number = [&](StringRef Key) { attribute(Key, std::to_string(F.Value)); };
  switch (Value) {
  case ThunkValue::Instruction:
    Instruction = F.Bytes;
    return;
  case ThunkValue::Kernel:
    Kernel = F.Bytes;
    return Text("kernel");
  case ThunkValue::LoadedKernel:
    Loaded = F.Bytes;
    return;
  case ThunkValue::Binary:
    Binary = F.Bytes;
    return;
  case ThunkValue::Arity:
    Arity = F.Value;
    return;
  case ThunkValue::Comparator:
    return Text("comparator");
  case ThunkValue::Target:
    return Text("target");
  case ThunkValue::InvariantArguments:
    Damaged |= !addNumbers(F, Invariants);
    return;
  case ThunkValue::WrittenFlags:
    Damaged |= !addNumbers(F, Flags);
    return;
  case ThunkValue::Execution:
    return Number("execution");
  case ThunkValue::ComputationStream:
    return Number("computation-stream");
  case ThunkValue::CommunicationStream:
    return Number("communication-stream");
  case ThunkValue::CopyStream:
    return Number("copy-stream");
  case ThunkValue::CopiedBytes:
    return Number("bytes");
  case ThunkValue::CapturedOperand:
    if (F.Value != 0)
      Number("captured");
    return;
  case ThunkValue::DynamicRoot:
    DynamicRoot = F.Value != 0;
    return;
  case ThunkValue::EmbeddedAllocation:
    EmbeddedSizes += fmt::format("{},", numberField(F.Bytes, 2).value_or(0));
    return;
  case ThunkValue::ModuleName:
    ModuleName = F.Bytes;
    return;
  case ThunkValue::KindText:
    KindText = F.Bytes;
    return;
  case ThunkValue::InstructionId:
    InstructionId = F.number();
    return;
  }
}

/// `{index:3, offset:64, size:32}` (BufferAllocation::Slice::ToString,
/// xla/service/buffer_assignment.cc).
bool ThunkParts::printBare(StringRef Message, std::string &Text) {
  constexpr StringRef Name = "BufferAllocationSlice";
  int64_t Numbers[3] = {};
  bool Good = forEachField(Message, [&](const WireField &F) {
    if (F.Number > 4 || F.Type != WireType::Varint)
      noteUnknown(Name, F.Number);
    else if (F.Number < 4)
      Numbers[F.Number - 1] = F.number();
  });
  Text += fmt::format("{{index:{}, offset:{}, size:{}}}", Numbers[2],
                      Numbers[0], Numbers[1]);
  return Good;
}

/// Appends the slice that \p Message holds in the form \p Form. Numbers of
/// ShapedSliceProto and of ShapeBufferAllocationSliceProto are exchanged.
bool ThunkParts::printSlice(SliceForm Form, StringRef Message,
                            std::string &Text) {
  if (Form == SliceForm::Bare)
    return printBare(Message, Text);
  WireReader First(Message);
  WireField F;
  // An empty message is the first slice of allocation 0.
  if (Form == SliceForm::Shaped &&
      (Message.empty() || (First.next(F) && F.Type == WireType::Varint)))
    return printBare(Message, Text);
  uint32_t SliceNumber = Form == SliceForm::ShapeFirst ? 2 : 1;
  StringRef Slice = bytesField(Message, SliceNumber);
  StringRef Shape = bytesField(Message, 3 - SliceNumber);
  if (!Slice.data())
    Text += "none";
  else if (!printBare(Slice, Text))
    return false;
  bool Good = forEachField(Message, [&](const WireField &Each) {
    if (Each.Number > 2)
      noteUnknown("ShapedSlice", Each.Number);
  });
  if (!Shape.data())
    return Good;
  std::string Spelled;
  if (printShape(Shape, /*WithLayout=*/true, Spelled))
    Text += ' ' + Spelled;
  else
    noteUnknown("Shape", 2);
  return Good;
}

void ThunkParts::addSlice(const ThunkField &Row, StringRef Message) {
  SliceForm Form = Row.Form;
  if (Form == SliceForm::Nullable) {
    Message = bytesField(Message, 1);
    if (!Message.data()) // a token
      return;
    Form = SliceForm::Shaped;
  }
  Slice Added = {Row.Access, Row.Number, ""};
  Damaged |= !printSlice(Form, Message, Added.Text);
  // Its operand comes first, then its results.
  if (Kind == ThunkKind::SelectK && !Slices.empty())
    Added.Access = ThunkAccess::Write;
  Backward |= Kind == ThunkKind::Norm && Row.Number == 8;
  Slices.push_back(std::move(Added));
}

/// Numbers of arguments count the slices that are read.
void ThunkParts::applyInvariants() {
  llvm::SmallVector<Slice *, 8> Arguments;
  for (Slice &S : Slices)
    if (S.Access == ThunkAccess::Read)
      Arguments.push_back(&S);
  for (int64_t Number : Invariants) {
    if (Number < 0 || Number >= static_cast<int64_t>(Arguments.size()))
      attribute("stray-invariant", std::to_string(Number));
    else
      Arguments[static_cast<size_t>(Number)]->Access = ThunkAccess::Invariant;
  }
}

void ThunkParts::applyFlags(ThunkMessage Thunk) {
  bool Flagged = Kind == ThunkKind::Kernel || Kind == ThunkKind::CustomKernel ||
                 Kind == ThunkKind::Cudnn;
  if (Thunk != ThunkMessage::GpuThunk || !Flagged)
    return;
  if (Flags.size() != Slices.size())
    attribute("flags", std::to_string(Flags.size()));
  for (size_t I = 0; I < std::min(Flags.size(), Slices.size()); ++I)
    if (Flags[I] != 0)
      Slices[I].Access = ThunkAccess::Write;
}

/// Of a ragged-all-to-all, each buffer is its own destination, but only the
/// second one is written (RaggedAllToAllThunk, 2025).
void ThunkParts::applyRagged() {
  constexpr size_t Output = 1;
  size_t Written = 0;
  llvm::erase_if(Slices, [&](const Slice &S) {
    return S.Access == ThunkAccess::Write && Written++ != Output;
  });
}

/// What is loaded for a kernel of a GPU: where it is not what the thunk says.
void ThunkParts::applyLoader() {
  if (!Loaded.empty() && Loaded != Kernel)
    attribute("loads", plainName(Loaded));
  // A number that is 0 is left out.
  if (!Loaded.empty() && Arity.value_or(0) != Slices.size())
    attribute("arity", std::to_string(Arity.value_or(0)));
  if (!Loaded.empty() && !Binary.empty() && !Binary.contains(Loaded))
    attribute("absent", plainName(Loaded));
}

/// A thunk of a CPU says twice what it is (Thunk::KindToString,
/// xla/backends/cpu/runtime/thunk.cc, 2025).
void ThunkParts::applyKindText() {
  StringRef Usual = thunkKindText(Kind);
  if (Kind == ThunkKind::TopK)
    Usual = "topk";
  if (KindText.data() && KindText != Usual && Kind != ThunkKind::Unknown)
    attribute("kind", plainName(KindText));
}

/// Of a backward norm, expectation and norm factor are operands
/// (xla/service/gpu/gpu_norm_runner.cc, 2024).
void ThunkParts::applyNorm() {
  if (!Backward)
    return;
  for (Slice &S : Slices)
    if (S.Field == 6 || S.Field == 7)
      S.Access = ThunkAccess::Read;
}
