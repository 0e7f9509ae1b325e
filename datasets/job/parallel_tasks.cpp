#include "datasets/job/parallel_tasks.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace trainyard {

Result<std::size_t> runTasksUntil(int threads, std::size_t first, std::size_t count,
                                  const std::function<Status(std::size_t)>& task,
                                  const std::function<bool()>& pause)
{
    std::mutex mutex;
    std::size_t next = first;
    std::map<std::size_t, Error> failures;
    const auto take = [&]() -> std::optional<std::size_t> {
        const std::lock_guard lock(mutex);
        if (next == count || !failures.empty() || (next > first && pause()))
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
    for (std::size_t i = 1; i < std::min(static_cast<std::size_t>(threads), count - first); ++i)
        workers.emplace_back(work);
    work();
    for (std::thread& worker : workers)
        worker.join();
    if (!failures.empty())
        return failures.begin()->second;
    return next;
}

Status runTasks(int threads, std::size_t count, const std::function<Status(std::size_t)>& task)
{
    const auto next = runTasksUntil(threads, 0, count, task, [] { return false; });
    if (!next.ok())
        return next.error();
    return {};
}

} // namespace trainyard
