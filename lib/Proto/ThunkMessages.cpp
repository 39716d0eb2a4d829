// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/ThunkMessages.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/ADT/ArrayRef.h"
#include <bitset>

using namespace hlobuf;
using Use = ThunkField::Use;

static constexpr ThunkField irrelevant(uint32_t First, uint32_t Last = 0) {
  return {.Number = First, .Last = std::max(First, Last)};
}
static constexpr ThunkField retired(uint32_t First, uint32_t Last = 0) {
  return irrelevant(First, Last);
}
static constexpr ThunkField assumed(uint32_t Number) {
  return irrelevant(Number);
}

// As ThunkFields.def spells them.
#define field(Name, N, ...)                                                    \
  ThunkField {                                                                 \
    .Is = Use::Name, .Number = N, .Last = N __VA_OPT__(, ) __VA_ARGS__         \
  }
#define impl(N, Which, To)                                                     \
  field(Impl, N, .Kind = ThunkKind::Which, .Message = ThunkMessage::To)
#define part(N, To) field(Part, N, .Message = ThunkMessage::To)
#define slice(N, In, Does)                                                     \
  field(Slice, N, .Form = SliceForm::In, .Access = ThunkAccess::Does)
#define sequence(N, Which) field(Sequence, N, .Role = ThunkRole::Which)
#define list(N) field(List, N)
#define attribute(N, Name, Form)                                               \
  field(Attribute, N, .Spelled = AttributeForm::Form, .Key = Name)
#define value(N, Which) field(Value, N, .Value = ThunkValue::Which)
#define unshown(N) field(Unshown, N)
#define HLOBUF_THUNK_MESSAGE(Name, ...)                                        \
  static constexpr ThunkField Name##Fields[] = {__VA_ARGS__};
#include "Proto/ThunkFields.def"
#undef field
#undef impl
#undef part
#undef slice
#undef sequence
#undef list
#undef value
#undef attribute
#undef unshown

/// All fields of \p In that the table has.
static ArrayRef<ThunkField> thunkFields(ThunkMessage In) {
  static const ArrayRef<ThunkField> Fields[] = {
#define HLOBUF_THUNK_MESSAGE(Name, ...) Name##Fields,
#include "Proto/ThunkFields.def"
  };
  return Fields[static_cast<size_t>(In)];
}

/// Field \p Number of \p In; null if it is newer than this tool.
static const ThunkField *findThunkField(ThunkMessage In, uint32_t Number) {
  for (const ThunkField &Field : thunkFields(In))
    if (Number >= Field.Number && Number <= Field.Last)
      return &Field;
  return nullptr;
}

/// `CpuKernel`.
static StringRef thunkMessageName(ThunkMessage Message) {
  static constexpr StringRef Names[] = {
#define HLOBUF_THUNK_MESSAGE(Name, ...) #Name,
#include "Proto/ThunkFields.def"
  };
  return Names[static_cast<size_t>(Message)];
}

ThunkParts::ThunkParts(ThunkMessage Thunk, StringRef Message) {
  read(Thunk, Message);
  applyInvariants();
  applyFlags(Thunk);
  // Of a backward norm, expectation and norm factor are operands
  // (xla/service/gpu/gpu_norm_runner.cc, 2024).
  for (Slice &S : Slices)
    if (Backward && (S.Field == 6 || S.Field == 7))
      S.Access = ThunkAccess::Read;
  applyLoader();
  // A thunk of a CPU says twice what it is (Thunk::KindToString,
  // xla/backends/cpu/runtime/thunk.cc, 2025).
  StringRef Usual = Kind == ThunkKind::TopK ? "topk" : thunkKindText(Kind);
  if (Thunk == ThunkMessage::CpuThunk && KindText != Usual &&
      Kind != ThunkKind::Unknown)
    attribute("kind", KindText.empty() ? "nothing" : plainName(KindText));
  if (Kind == ThunkKind::YnnFusion && !InstructionId)
    InstructionId = 0;
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

/// Notes what nobody reads of \p Message, an \p In of Fields.def.
void ThunkParts::noteUnread(FieldType In, StringRef Message) {
  FieldWalk Walk;
  Walk.walk(In, Message);
  Damaged |= Walk.isDamaged();
  std::string Names = Walk.unreadNames();
  if (!Names.empty() && !Unknown.empty())
    Unknown += ',';
  Unknown += Names;
}

void ThunkParts::attribute(StringRef Key, StringRef Value) {
  Attributes += fmt::format(" {}={}", Key, Value);
}

/// A field that may be there several times. Of others, readers merge two.
static bool mayRepeat(const ThunkField &Row) {
  switch (Row.Is) {
  case Use::Impl:
  case Use::Unshown:
    return false;
  case Use::Part:
    return Row.Message == ThunkMessage::GpuCollectiveBuffer;
  case Use::Sequence:
    return Row.Role == ThunkRole::Branch;
  case Use::Value:
    return Row.Value == ThunkValue::InvariantArguments ||
           Row.Value == ThunkValue::WrittenFlags ||
           Row.Value == ThunkValue::EmbeddedAllocation;
  case Use::Attribute:
    return isRepeatedForm(Row.Spelled) || Row.Spelled == AttributeForm::Place ||
           Row.Spelled == AttributeForm::SlicedParameter ||
           Row.Spelled == AttributeForm::SlicedResult ||
           Row.Key == StringRef("argument");
  default:
    return true;
  }
}

void ThunkParts::read(ThunkMessage In, StringRef Message) {
  std::bitset<128> Seen;
  bool Good = forEachField(Message, [&](const WireField &F) {
    const ThunkField *Row = findThunkField(In, F.Number);
    bool Twice = Row && Seen[F.Number] && !mayRepeat(*Row);
    if (Row)
      Seen.set(F.Number);
    if (!Row || Twice)
      noteUnknown(thunkMessageName(In), F.Number);
    else
      readField(In, *Row, F);
  });
  for (const ThunkField &Row : thunkFields(In))
    if (Row.Is == Use::Attribute)
      Good &= readAttribute(Row, Message);
    else if (Row.Is == Use::Value)
      compareSpace(Row, Message);
  Damaged |= !Good;
}

/// The memory space of a buffer of a collective is that of its shape.
void ThunkParts::compareSpace(const ThunkField &Row, StringRef Message) {
  constexpr uint32_t Layout = 5, Space = 8;
  bool Source = Row.Value == ThunkValue::SourceSpace;
  if (!Source && Row.Value != ThunkValue::DestinationSpace)
    return;
  StringRef Shape = bytesField(bytesField(Message, Source ? 2 : 3), 2);
  int64_t Stated = numberAt(Message, Row.Number);
  if (Shape.data() && Stated != numberAt(bytesField(Shape, Layout), Space))
    attribute("memory_space", std::to_string(Stated));
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
    if (Form == AttributeForm::Packing)
      Packed = F.Bytes;
    FieldType Held = fieldOf(Form);
    if (isMessage(Held) && F.isMessage())
      noteUnread(Held, F.Bytes);
    if (Form == AttributeForm::Collective)
      return attribute("collective", Row.Key);
    if (Held != FieldType::Numbers)
      Good &= F.isMessage() != (Held == FieldType::Number);
    if (std::string Text = valueText(Form, F); Good && !Text.empty())
      attribute(Row.Key, Text);
  });
  return Good;
}

void ThunkParts::readField(ThunkMessage In, const ThunkField &Row,
                           const WireField &F) {
  if (Row.Is == Use::Other || Row.Is == Use::Attribute)
    return;
  if (Row.Is == Use::Value)
    return readValue(Row.Value, F);
  if (Row.Is == Use::Unshown) {
    if (F.isMessage() ? !F.Bytes.empty() : F.Value != 0)
      noteUnknown(thunkMessageName(In), Row.Number);
    return;
  }
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
  default:
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
    noteUnread(FieldType::SliceAllocation, F.Bytes);
    if (numberAt(F.Bytes, 1) != llvm::count(EmbeddedSizes, ','))
      noteUnknown("xla.BufferAllocationProto", 1);
    EmbeddedSizes += fmt::format("{},", numberAt(F.Bytes, 2));
    return;
  case ThunkValue::ModuleName:
    ModuleName = F.Bytes;
    return;
  case ThunkValue::KindText:
    KindText = F.Bytes;
    return;
  case ThunkValue::SourceSpace: // compareSpace()
  case ThunkValue::DestinationSpace:
    return;
  case ThunkValue::OneDevice:
    OneDevice = F.Value != 0;
    return;
  case ThunkValue::HostProgram:
    HostProgram = F.Bytes;
    return;
  case ThunkValue::InstructionId:
    InstructionId = F.number();
    return;
  }
}

/// `{index:3, offset:64, size:32}` (BufferAllocation::Slice::ToString,
/// xla/service/buffer_assignment.cc).
static std::string bareText(StringRef Message) {
  return fmt::format("{{index:{}, offset:{}, size:{}}}", numberAt(Message, 3),
                     numberAt(Message, 1), numberAt(Message, 2));
}

/// Appends the slice that \p Message holds in the form \p Form. Numbers of
/// ShapedSliceProto and of ShapeBufferAllocationSliceProto are exchanged.
void ThunkParts::printSlice(SliceForm Form, StringRef Message,
                            std::string &Text) {
  WireReader First(Message);
  WireField F;
  // An empty message is the first slice of allocation 0.
  if (Form == SliceForm::Bare ||
      (Form == SliceForm::Shaped &&
       (Message.empty() || (First.next(F) && F.Type == WireType::Varint)))) {
    noteUnread(FieldType::AllocationSlice, Message);
    Text += bareText(Message);
    return;
  }
  bool ShapeFirst = Form == SliceForm::ShapeFirst;
  noteUnread(ShapeFirst ? FieldType::CpuShapedSlice : FieldType::ShapedSlice,
             Message);
  StringRef Slice = bytesField(Message, ShapeFirst ? 2 : 1);
  StringRef Shape = bytesField(Message, ShapeFirst ? 1 : 2);
  Text += Slice.data() ? bareText(Slice) : "none";
  std::string Spelled;
  // Next to what is more than an address, also a scalar has a layout.
  constexpr uint32_t LayoutField = 5;
  if (ShapeFirst && !bytesField(Shape, LayoutField).data() &&
      primitiveName(numberAt(Shape, 2)) != "token")
    noteUnknown("xla.ShapeProto", LayoutField);
  if (printShape(Shape, /*WithLayout=*/true, Spelled))
    Text += ' ' + Spelled;
  else if (Slice.data())
    noteUnknown("Shape", 2);
}

void ThunkParts::addSlice(const ThunkField &Row, StringRef Message) {
  SliceForm Form = Row.Form;
  if (Form == SliceForm::Nullable) {
    noteUnread(FieldType::NullableShapedSlice, Message);
    Message = bytesField(Message, 1);
    size_t Place = Passed[Row.Number]++;
    if (!Message.data()) // a token
      return attribute(
          "token", fmt::format("{}-{}", thunkAccessText(Row.Access), Place));
    Form = SliceForm::Shaped;
  }
  Slice Added = {Row.Access, Row.Number, ""};
  printSlice(Form, Message, Added.Text);
  // Its operand comes first, then its results.
  if (Kind == ThunkKind::SelectK && !Slices.empty())
    Added.Access = ThunkAccess::Write;
  Backward |= Kind == ThunkKind::Norm && Row.Number == 8;
  Slices.push_back(std::move(Added));
}

/// Numbers of arguments count the slices that are read.
void ThunkParts::applyInvariants() {
  SmallVector<Slice *, 8> Arguments;
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
  SmallVector<Slice, 4> Used;
  size_t Sources = 0;
  bool Usual = true;
  for (auto [N, S] : llvm::enumerate(Slices)) {
    bool IsSource = N % 2 == 0;
    Usual &= IsSource == (S.Access != ThunkAccess::Write);
    if (IsSource)
      ++Sources;
    else if (Sources - 1 != Output)
      Usual &= S.Text == Slices[N - 1].Text;
    if (IsSource || Sources - 1 == Output)
      Used.push_back(S);
  }
  if (!Usual || Slices.size() % 2 != 0)
    attribute("destinations", "other");
  Slices = std::move(Used);
}

/// What is loaded for a kernel of a GPU: where it is not what the thunk says.
void ThunkParts::applyLoader() {
  if (!Loaded.empty() && !Binary.empty() && !Binary.contains(Loaded))
    attribute("absent", plainName(Loaded));
  if (Kind == ThunkKind::CollectiveKernel)
    return;
  if (Kind == ThunkKind::CustomKernel && Loaded.empty())
    attribute("loads", "nothing");
  size_t Arguments = 0;
  forEachMessage(Packed, 1, [&](StringRef) { ++Arguments; });
  if (Packed.data() && Arguments != Slices.size())
    attribute("packing", fmt::format("{{{}}}", Arguments));
  if (!Loaded.empty() && Loaded != Kernel)
    attribute("loads", plainName(Loaded));
  // A number that is 0 is left out.
  if (!Loaded.empty() && Arity.value_or(0) != Slices.size())
    attribute("arity", std::to_string(Arity.value_or(0)));
}
