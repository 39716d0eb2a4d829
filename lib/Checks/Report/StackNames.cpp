//===- Checks/Report/StackNames.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines of the stack breakdown that have bytes of their own are named after
// the instructions of the peak list: the op_name of its metadata, or its own
// name, with the index of the value, if that is not the root; of an op_name
// like params['a/b'].c the last part (hlo_stack_trace.cc, since 2025-07-23).
// Under each name both have the same bytes. A value that several paths lead to
// is split between them, but the sum stays. A warning, as the rule was derived
// from dumps; no exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
using llvm::StringRef;

/// The last part of an op_name of the form `params['a/b'].c`; else all of it.
static StringRef lastPart(StringRef Name) {
  size_t At = 0;
  auto Word = [&] {
    size_t Begin = At;
    while (At < Name.size() && (llvm::isAlnum(Name[At]) || Name[At] == '_'))
      ++At;
    return Name.slice(Begin, At);
  };
  StringRef Last = Word();
  if (Last.empty() || llvm::isDigit(Last.front()) || !Name.contains("['"))
    return Name;
  while (At < Name.size()) {
    if (Name.substr(At).starts_with("['")) {
      size_t End = Name.find('\'', At + 2);
      if (End == StringRef::npos || End == At + 2 ||
          !Name.substr(End).starts_with("']"))
        return Name;
      StringRef Key = Name.slice(At + 2, End);
      Last = Key.substr(Key.rfind('/') + 1);
      At = End + 2;
      continue;
    }
    if (Name[At++] != '.' || (Last = Word()).empty())
      return Name;
  }
  return Last;
}

/// The name of the line that counts \p Row.
static std::string leafOf(const CheckContext &A, const PeakRow &Row) {
  const Dump &D = A.dump();
  auto OpName = findMetadata(D.attributes(*A.instruction(Row.Name)), "op_name");
  std::string Whole = OpName ? unescape(*OpName) : std::string();
  StringRef Leaf = Whole.empty() ? D.Names[Row.Name] : lastPart(Whole);
  return Leaf.str() +
         (Row.Index.isRoot() ? std::string() : D.Indices.text(Row.Index));
}

namespace {
class StackNames {
public:
  StackNames(const CheckContext &A, Reporter &R) : A(A), R(R), D(A.dump()) {}

  void run();

private:
  bool sumsAgree() const;
  void reportExtra(const StackNode &Node, uint64_t Bytes);
  void reportMissing(const PeakRow &Row, StringRef Name, uint64_t Bytes);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
};
} // namespace

/// List, heading and tree have the same bytes in total. Else the sums are
/// wrong, not the names.
bool StackNames::sumsAgree() const {
  uint64_t List = 0;
  uint64_t Tree = 0;
  for (const PeakRow &Row : D.Peak)
    List += Row.Bytes;
  for (const StackNode &Node : D.Stack)
    Tree += Node.Current;
  return List == D.StackTotal && Tree == D.StackTotal;
}

void StackNames::reportExtra(const StackNode &Node, uint64_t Bytes) {
  R.report(A.places().row(Node).Name,
           "line '{}' has {} bytes more than the peak list has under that name",
           D.stackName(Node), Bytes)
      .about(Section::Stack);
}

void StackNames::reportMissing(const PeakRow &Row, StringRef Name,
                               uint64_t Bytes) {
  Finding F =
      R.report(A.places().line(Row),
               "stack breakdown is missing {} bytes under '{}'", Bytes, Name);
  F.about(Section::Stack).about(Row.Name);
  UsedId U = A.findUsed(Row.Name, Row.Index);
  if (ValueId V = U ? A.valueOf(U) : ValueId())
    F.about(V);
}

void StackNames::run() {
  if (!sumsAgree())
    return R.notChecked("the stack breakdown does not add up");
  for (const PeakRow &Row : D.Peak)
    if (!A.hasText(Row.Name))
      return R.notChecked("the text of a listed instruction is missing");
  // Bytes that the list has under a name and the tree does not; below 0 the
  // opposite, in two's complement.
  llvm::StringMap<uint64_t> Lacking;
  for (const PeakRow &Row : D.Peak)
    Lacking[leafOf(A, Row)] += Row.Bytes;
  for (const StackNode &Node : D.Stack)
    if (Node.Current != 0)
      Lacking[D.stackName(Node)] -= Node.Current;
  for (const StackNode &Node : D.Stack) {
    auto Found = Lacking.find(D.stackName(Node));
    if (Node.Current == 0 || static_cast<int64_t>(Found->second) >= 0)
      continue;
    reportExtra(Node, -Found->second);
    Found->second = 0;
  }
  for (const PeakRow &Row : D.Peak) {
    auto Found = Lacking.find(leafOf(A, Row));
    if (static_cast<int64_t>(Found->second) <= 0)
      continue;
    reportMissing(Row, Found->first(), Found->second);
    Found->second = 0;
  }
}

namespace hlobuf {
void checkStackNames(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.PeakRows == PeakForm::Cumulative)
    StackNames(A, R).run();
}
} // namespace hlobuf
