// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on threads, results in order.

#ifndef HLOBUF_SUPPORT_ORDEREDRUN_H
#define HLOBUF_SUPPORT_ORDEREDRUN_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace hlobuf {

/// Threads that run one function. The system may refuse some of them, or all:
/// std::thread would end the program.
class Workers {
public:
  /// More threads only get into each other's way.
  static constexpr unsigned MaxThreads = 256;

  template <typename LoopFn> Workers(unsigned Count, LoopFn &Loop) {
    auto Run = [](void *Function) -> void * {
      (*static_cast<LoopFn *>(Function))();
      return nullptr;
    };
    Threads.reserve(std::min(Count, MaxThreads));
    pthread_t Thread;
    while (Threads.size() != std::min(Count, MaxThreads) &&
           ::pthread_create(&Thread, nullptr, Run, &Loop) == 0)
      Threads.push_back(Thread);
  }
  ~Workers() {
    for (pthread_t Thread : Threads)
      ::pthread_join(Thread, nullptr);
  }
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  bool empty() const { return Threads.empty(); }

private:
  std::vector<pthread_t> Threads;
};

/// \p Jobs, or the number of cores if it is 0.
inline unsigned numJobs(unsigned Jobs) {
  return Jobs != 0 ? Jobs : std::max(1u, std::thread::hardware_concurrency());
}

/// Calls \p Work(I) for each I below \p Count on \p Jobs threads (0: one per
/// core), and \p Consume(I, result) in order on the calling thread.
template <typename WorkFn, typename ConsumeFn>
void runInOrder(size_t Count, unsigned Jobs, WorkFn Work, ConsumeFn Consume) {
  using Result = decltype(Work(size_t(0)));
  // To ask for the number of cores takes longer than a small piece of work.
  Jobs = Count <= 1 ? 1 : unsigned(std::min<size_t>(numJobs(Jobs), Count));
  if (Jobs == 1) {
    for (size_t I = 0; I != Count; ++I) {
      Result R = Work(I);
      Consume(I, R);
    }
    return;
  }
  std::vector<std::unique_ptr<Result>> Results(Count);
  std::atomic<size_t> Next = 0;
  std::mutex Lock;
  std::condition_variable Ready;
  auto Loop = [&] {
    for (size_t I = Next++; I < Count; I = Next++) {
      auto Done = std::make_unique<Result>(Work(I));
      std::lock_guard<std::mutex> Guard(Lock);
      Results[I] = std::move(Done);
      Ready.notify_one();
    }
  };
  Workers Threads(Jobs, Loop);
  if (Threads.empty())
    Loop();
  for (size_t I = 0; I != Count; ++I) {
    std::unique_ptr<Result> R;
    {
      std::unique_lock<std::mutex> Guard(Lock);
      Ready.wait(Guard, [&] { return Results[I] != nullptr; });
      R = std::move(Results[I]);
    }
    Consume(I, *R);
  }
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_ORDEREDRUN_H
