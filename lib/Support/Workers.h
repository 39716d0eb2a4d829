// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that may be refused.

#ifndef HLOBUF_SUPPORT_WORKERS_H
#define HLOBUF_SUPPORT_WORKERS_H

#include <algorithm>
#include <pthread.h>
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

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_WORKERS_H
