#include "app/base/pool_work.h"

#include <atomic>

#include <QSemaphore>
#include <QThread>

namespace trainyard {

void parallelFor(std::size_t count, const std::function<void(std::size_t)>& work)
{
    std::atomic<std::size_t> next = 0;
    const auto takeTurns = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            work(i);
    };
    QSemaphore ended;
    int others = 0;
    const int most = QThread::idealThreadCount() - 1;
    while (others < most && std::size_t(others) + 1 < count && QThreadPool::globalInstance()->tryStart([&] {
        takeTurns();
        ended.release();
    }))
        ++others;
    takeTurns();
    ended.acquire(others);
}

} // namespace trainyard
