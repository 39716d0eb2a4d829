// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protocol buffers as they are on disk.
//
// The wire format: https://protobuf.dev/programming-guides/encoding. A table of
// field numbers (Fields.h) is all that a reader needs to know of a message;
// other fields are skipped. libprotobuf needs XLA's .proto files and costs a
// process's start; protozero throws, which this project compiles without.

#ifndef HLOBUF_PROTO_WIRE_H
#define HLOBUF_PROTO_WIRE_H

#include "Support/LLVM.h"
#include <optional>

namespace hlobuf {

/// How a field's value is encoded.
enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Fixed32 = 5
};

/// One field of a message.
struct WireField {
  uint32_t Number = 0;
  WireType Type = WireType::Varint;
  /// A varint, or a fixed number's bits.
  uint64_t Value = 0;
  /// A string, a message, or packed numbers.
  StringRef Bytes;

  int64_t number() const { return static_cast<int64_t>(Value); }
  bool isMessage() const { return Type == WireType::Bytes; }
};

/// Takes a varint of any size from the front of \p Bytes; nothing if there is
/// none.
std::optional<uint64_t> takeAnyVarint(StringRef &Bytes);

/// The same; most have one byte.
inline std::optional<uint64_t> takeVarint(StringRef &Bytes) {
  if (Bytes.empty() || static_cast<uint8_t>(Bytes.front()) >= 128)
    return takeAnyVarint(Bytes);
  auto Value = static_cast<uint8_t>(Bytes.front());
  Bytes = Bytes.drop_front();
  return Value;
}

/// Walks the fields of one message, in their order.
class WireReader {
public:
  explicit WireReader(StringRef Message) : Rest(Message) {}

  /// The next field; false at the end, or where the rest cannot be read.
  bool next(WireField &Field);

  /// Some bytes could not be read.
  bool failed() const { return Failed; }
  StringRef rest() const { return Rest; }

private:
  StringRef Rest;
  bool Failed = false;
};

/// Calls \p Visit for each field; false where \p Message is damaged.
template <typename VisitFn>
bool forEachField(StringRef Message, VisitFn Visit) {
  WireReader In(Message);
  for (WireField Field; In.next(Field);)
    Visit(Field);
  return !In.failed();
}

/// True if \p Bytes are a message from the first to the last one.
bool isMessage(StringRef Bytes);

/// Calls \p Visit with the bytes of each field \p Number that has some; false
/// where \p Message is damaged.
bool forEachMessage(StringRef Message, uint32_t Number,
                    function_ref<void(StringRef)> Visit);

/// The first field \p Number that holds bytes; empty if there is none.
StringRef bytesField(StringRef Message, uint32_t Number);

/// The last field \p Number that holds a number; nothing if there is none.
std::optional<int64_t> numberField(StringRef Message, uint32_t Number);

/// The same, or 0.
int64_t numberAt(StringRef Message, uint32_t Number);

/// Adds the numbers of \p Field, one or packed ones, to \p To; false where the
/// packed ones are damaged.
bool addNumbers(const WireField &Field, SmallVectorImpl<int64_t> &To);

/// All numbers of the repeated field \p Number.
SmallVector<int64_t, 4> numbersField(StringRef Message, uint32_t Number);

/// Where readFields() puts the field of a number: the last one of numbers into
/// an int64_t or bool, of bytes into a StringRef; all numbers into a vector;
/// all bytes are passed to a function.
template <typename T> struct FieldTarget {
  uint32_t Number;
  T To;
};

/// \p To for the field \p Number.
template <typename T> FieldTarget<T> into(uint32_t Number, T &&To) {
  return {Number, std::forward<T>(To)};
}

/// Reads \p Message into \p Targets, and skips its other fields. False where it
/// is damaged.
template <typename... Ts>
bool readFields(StringRef Message, const FieldTarget<Ts> &...Targets) {
  bool Good = true;
  auto Store = [&](const WireField &F, auto &&To) {
    using Target = std::remove_cvref_t<decltype(To)>;
    if constexpr (std::is_base_of_v<SmallVectorImpl<int64_t>, Target>)
      Good &= addNumbers(F, To);
    else if constexpr (std::is_invocable_v<Target, StringRef>)
      F.isMessage() ? To(F.Bytes) : void();
    else if constexpr (std::is_same_v<Target, StringRef>)
      To = F.isMessage() ? F.Bytes : To;
    else
      To = F.isMessage() ? To : static_cast<Target>(F.Value);
  };
  return forEachField(
             Message,
             [&](const WireField &F) {
               ((F.Number == Targets.Number ? Store(F, Targets.To) : void()),
                ...);
             }) &&
         Good;
}

} // namespace hlobuf

#endif // HLOBUF_PROTO_WIRE_H
