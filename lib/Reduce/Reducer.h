// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Delta debugging of a module.

#ifndef HLOBUF_REDUCE_REDUCER_H
#define HLOBUF_REDUCE_REDUCER_H

#include "Reduce/Edits.h"
#include "Reduce/Interest.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf {

/// How a Reducer works, and what it calls.
struct ReduceOptions {
  /// Candidates that are tested at the same time.
  unsigned Jobs = 1;
  /// Stop after so many seconds; 0 for never.
  unsigned MaxSeconds = 0;
  /// Where candidates are; it exists.
  std::string WorkFolder;
  /// Called with each module that is smaller and interesting.
  std::function<void(const EditModule &)> Keep;
  /// Called after each step, with a line for people.
  std::function<void(const std::string &)> Progress;
};

/// What a reduction took.
struct ReduceCounts {
  unsigned Tests = 0;
  double Seconds = 0;
  /// Until the first test, of the input, was over.
  double FirstSeconds = 0;
};

/// Applies edits as long as the module stays interesting: the edits of a pass
/// all at once, then halves, quarters and so on. The result does not depend on
/// the number of jobs.
class Reducer {
public:
  Reducer(Interest &Test, ReduceOptions Options)
      : Test(Test), Options(std::move(Options)) {}

  /// Reduces \p Start. False if it is not interesting itself.
  bool run(EditModule Start);

  const EditModule &best() const { return Best; }
  const ReduceCounts &counts() const { return Counts; }
  /// Of the input, or of the last test of verifyAfresh().
  const TestOutcome &last() const { return Last; }

  /// Tests the result again, with nothing left of earlier tests. Where it does
  /// not show the finding again, results before it are tried, the input last.
  /// False if none of them does; best() is the one that does.
  bool verifyAfresh();

private:
  struct Candidate {
    EditModule Module;
    size_t Begin = 0;
    size_t End = 0;
    std::string Text;
    uint64_t Key = 0;
    bool Tested = false;
    TestOutcome Outcome;
  };
  bool runPass(const EditPass &Pass, unsigned Round);
  bool runChunks(const EditPass &Pass, std::vector<Edit> &Edits, size_t Size);
  std::optional<Candidate> nextCandidate(const EditPass &Pass,
                                         const std::vector<Edit> &Edits,
                                         size_t &Next, size_t Size);
  void testAll(std::vector<Candidate> &Candidates);
  TestOutcome testText(unsigned Slot, StringRef Text);
  void accept(EditModule Module, StringRef Pass);
  bool isOver() const;
  double seconds() const;

  Interest &Test;
  ReduceOptions Options;
  ReduceCounts Counts;
  TestOutcome Last;
  EditModule Best;
  /// Texts of the input and of what was accepted last before Best.
  std::vector<std::string> Earlier;
  /// Passes that have run on a small module.
  llvm::StringSet<> Visited;
  /// Hashes of the texts, without names, of modules that were tested.
  DenseSet<uint64_t> Known;
  ChildProcess::Clock::time_point Started = ChildProcess::Clock::now();
};

} // namespace hlobuf

#endif // HLOBUF_REDUCE_REDUCER_H
