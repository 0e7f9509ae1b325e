#include "datasets/prepare/parallel_tasks.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace trainyard {

Status runTasks(int threads, std::size_t count, const std::function<Status(std::size_t)>& task)
{
    std::mutex mutex;
    std::size_t next = 0;
    std::map<std::size_t, Error> failures;
    const auto take = [&]() -> std::optional<std::size_t> {
        const std::lock_guard lock(mutex);
        if (next == count || !failures.empty())
            return std::nullopt;
        return next++;
    };
    const auto work = [&] {
        while (const auto number = take()) {
            const Status status = task(*number);
            if (!status.ok()) {
                const std::lock_guard lock(mutex);
                failures.emplace(*number, status.error());
            }
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t i = 1; i < std::min(static_cast<std::size_t>(threads), count); ++i)
        workers.emplace_back(work);
    work();
    for (std::thread& worker : workers)
        worker.join();
    if (!failures.empty())
        return failures.begin()->second;
    return {};
}

} // namespace trainyard
