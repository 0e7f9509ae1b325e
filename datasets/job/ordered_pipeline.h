#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// produce -> transform in parallel -> consume in the order of production, with a bounded number of items in
/// flight, so memory does not grow with the input and results do not depend on the number of threads.
///
/// produce runs on its own thread, transform on `threads` threads, consume on the caller's. The first error
/// of produce or consume stops everything and is returned; all threads have ended when run() returns.
template <typename In, typename Out>
class OrderedPipeline {
public:
    using Produce = std::function<Result<std::optional<In>>()>; ///< nullopt = end
    using Transform = std::function<Out(In&&)>;
    using Consume = std::function<Status(Out&&)>;

    static Status run(int threads, Produce produce, Transform transform, Consume consume)
    {
        OrderedPipeline pipeline(static_cast<std::uint64_t>(threads) * kItemsPerThread);
        std::vector<std::thread> workers;
        workers.emplace_back([&] { pipeline.produceAll(produce); });
        for (int i = 0; i < threads; ++i)
            workers.emplace_back([&] { pipeline.transformAll(transform); });
        pipeline.consumeAll(consume);
        for (std::thread& worker : workers)
            worker.join();
        return pipeline.m_status;
    }

private:
    static constexpr std::uint64_t kItemsPerThread = 4;

    explicit OrderedPipeline(std::uint64_t limit) : m_limit(limit) {}

    void produceAll(const Produce& produce)
    {
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, [&] { return m_stopped || m_produced - m_consumed < m_limit; });
                if (m_stopped)
                    return;
            }
            Result<std::optional<In>> item = produce();
            const std::lock_guard lock(m_mutex);
            if (!item.ok())
                stop(item.error());
            else if (!item.value())
                m_ended = true;
            else
                m_waiting.emplace_back(m_produced++, std::move(*item.value()));
            m_changed.notify_all();
            if (m_ended || m_stopped)
                return;
        }
    }

    void transformAll(const Transform& transform)
    {
        for (;;) {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] { return m_stopped || m_ended || !m_waiting.empty(); });
            if (m_stopped || m_waiting.empty())
                return;
            auto [number, item] = std::move(m_waiting.front());
            m_waiting.pop_front();
            lock.unlock();
            Out result = transform(std::move(item));
            lock.lock();
            m_finished.emplace(number, std::move(result));
            m_changed.notify_all();
        }
    }

    void consumeAll(const Consume& consume)
    {
        for (;;) {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [&] {
                return m_stopped || m_finished.contains(m_consumed) || (m_ended && m_consumed == m_produced);
            });
            if (m_stopped || !m_finished.contains(m_consumed))
                return;
            Out result = std::move(m_finished.extract(m_consumed).mapped());
            lock.unlock();
            const Status status = consume(std::move(result));
            lock.lock();
            ++m_consumed;
            if (!status.ok())
                stop(status.error());
            m_changed.notify_all();
        }
    }

    void stop(Error error)
    {
        m_status = std::move(error);
        m_stopped = true;
    }

    const std::uint64_t m_limit;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::pair<std::uint64_t, In>> m_waiting;
    std::map<std::uint64_t, Out> m_finished; ///< by number of production
    std::uint64_t m_produced = 0;
    std::uint64_t m_consumed = 0;
    bool m_ended = false;
    bool m_stopped = false;
    Status m_status;
};

} // namespace trainyard
