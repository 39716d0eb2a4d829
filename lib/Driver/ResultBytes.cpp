// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each struct names its fields, for both directions: numbers
// as LEB128, texts and lists behind their length.

#include "Driver/ResultBytes.h"
#include "Checks/Check.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class Packer {
public:
  explicit Packer(std::string &Bytes) : OS(Bytes) {}

  void number(uint64_t &Value) { llvm::encodeULEB128(Value, OS); }
  void text(std::string &Text) {
    size(Text.size());
    OS << Text;
  }
  /// The length that a list has when it is read.
  size_t size(size_t Known) {
    llvm::encodeULEB128(Known, OS);
    return Known;
  }

private:
  llvm::raw_string_ostream OS;
};

class Unpacker {
public:
  explicit Unpacker(StringRef Bytes) : Rest(Bytes) {}

  void number(uint64_t &Value) {
    unsigned Size = 0;
    const char *Error = nullptr;
    Value = llvm::decodeULEB128(Rest.bytes_begin(), &Size, Rest.bytes_end(),
                                &Error);
    Bad |= Error != nullptr;
    Rest = Rest.drop_front(std::min<size_t>(Size, Rest.size()));
  }
  void text(std::string &Text) {
    size_t Size = size(0);
    Text = Rest.take_front(Size).str();
    Rest = Rest.drop_front(Size);
  }
  size_t size(size_t) {
    uint64_t Size = 0;
    number(Size);
    Bad |= Size > Rest.size(); // nothing is smaller than a byte
    return Bad ? 0 : Size;
  }
  bool isWhole() const { return !Bad && Rest.empty(); }
  void refuse() { Bad = true; }

private:
  StringRef Rest;
  bool Bad = false;
};
} // namespace

template <typename IO, typename... Ts> static void each(IO &Io, Ts &...Values);

template <typename IO> static void fields(IO &Io, ResultPlace &P) {
  each(Io, P.File, P.Line, P.Column, P.EndColumn, P.Character, P.EndCharacter,
       P.Excerpt);
}

static void staticText(Packer &Out, StringRef &Text) {
  std::string Copy = Text.str();
  Out.text(Copy);
}

/// An opcode as opcodeText() gives it, or nothing.
static void staticText(Unpacker &In, StringRef &Text) {
  std::string Copy;
  In.text(Copy);
  Text = Copy.empty() ? StringRef() : opcodeText(parseOpcode(Copy).Op);
  if (Text != Copy)
    In.refuse();
}

template <typename IO> static void fields(IO &Io, TimelineStep &S) {
  each(Io, S.Step, S.Subject, S.Action, S.Source, S.Role);
  staticText(Io, S.Opcode);
  each(Io, S.Bits);
}

template <typename IO> static void fields(IO &Io, ResultNote &N) {
  each(Io, N.Where, N.Message, N.Kind, N.Event);
}

template <typename IO> static void fields(IO &Io, ResultFinding &F) {
  each(Io, F.Level, F.Check, F.Message, F.Fingerprint, F.Names, F.Where,
       F.Notes, F.Silenced, F.Reason);
}

template <typename IO> static void fields(IO &Io, ResultUncounted &U) {
  each(Io, U.Check, U.Level, U.Count, U.Silenced);
}

static void checkId(Packer &Out, StringRef &Id) {
  const CheckInfo *Info = llvm::find_if(
      allChecks(), [&](const CheckInfo &Each) { return Each.Id == Id; });
  Out.size(static_cast<size_t>(Info - allChecks().begin()));
}

static void checkId(Unpacker &In, StringRef &Id) {
  uint64_t Number = 0;
  In.number(Number);
  if (Number < allChecks().size())
    Id = allChecks()[Number].Id;
  else
    In.refuse();
}

template <typename IO> static void fields(IO &Io, SkippedCheck &S) {
  checkId(Io, S.Check);
  each(Io, S.Reason, S.Kind, S.Missing, S.Required);
}

template <typename IO> static void fields(IO &Io, ResultExempt &E) {
  checkId(Io, E.Check);
  each(Io, E.Gate, E.Count);
}

template <typename IO> static void fields(IO &Io, SentenceResult &S) {
  each(Io, S.Is, S.Because, S.Given, S.Extent, S.Hidden);
}

template <typename IO> static void fields(IO &Io, ResultCheck &C) {
  checkId(Io, C.Id);
  each(Io, C.Outcome, C.FromTexts, C.Gravest, C.Extent, C.Assumption);
}

template <typename IO> static void fields(IO &Io, StoredResult &S) {
  each(Io, S.In.Path);
  for (InputFile &File : S.In.Files)
    each(Io, File.Path);
  DumpResult &R = S.Result;
  each(Io, R.Path, R.Module, R.Files, R.Findings, R.Uncounted, R.Checks,
       R.Sentences, R.ProvesNothing, R.Skipped, R.Exempted, R.UnusedFiles,
       R.Complaints, R.Verified);
}

template <typename IO> static void one(IO &Io, std::string &Text) {
  Io.text(Text);
}

template <typename IO, typename T, size_t N>
static void one(IO &Io, std::array<T, N> &All) {
  for (T &Each : All)
    each(Io, Each);
}

template <typename IO, typename T>
static void one(IO &Io, std::vector<T> &All) {
  All.resize(Io.size(All.size()));
  for (T &Each : All)
    each(Io, Each);
}

template <typename IO, typename T>
static void one(IO &Io, std::optional<T> &Value) {
  bool Has = Value.has_value();
  each(Io, Has);
  if (Has && !Value)
    Value.emplace();
  if (Has)
    each(Io, *Value);
}

template <typename IO, typename T> static void one(IO &Io, T &Value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    auto Number = static_cast<uint64_t>(Value);
    Io.number(Number);
    Value = static_cast<T>(Number);
  } else {
    fields(Io, Value);
  }
}

template <typename IO, typename... Ts> static void each(IO &Io, Ts &...Values) {
  (one(Io, Values), ...);
}

std::string hlobuf::packResult(StoredResult Stored) {
  std::string Bytes;
  Packer Out(Bytes);
  fields(Out, Stored);
  return Bytes;
}

std::optional<StoredResult> hlobuf::unpackResult(StringRef Bytes) {
  StoredResult Stored;
  Unpacker In(Bytes);
  fields(In, Stored);
  if (!In.isWhole())
    return std::nullopt;
  return Stored;
}
