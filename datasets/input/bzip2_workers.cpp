#include "datasets/input/bzip2_workers.h"

#include <algorithm>

namespace trainyard {

Bzip2Workers::Bzip2Workers(std::shared_ptr<ThreadBudget> budget) : m_budget(std::move(budget))
{
    // Decompression is less than half of the work on a corpus, and each thread takes some megabytes.
    const int threads = std::min(m_budget->threads(), m_budget->threads() / 2 + 2);
    for (int i = 0; i < threads; ++i)
        m_threads.emplace_back([this] { work(); });
}

Bzip2Workers::~Bzip2Workers()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopped = true;
    }
    m_changed.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void Bzip2Workers::start(std::shared_ptr<Bzip2Job> job)
{
    {
        const std::lock_guard lock(m_mutex);
        job->done = false;
        m_waiting.push_back(std::move(job));
    }
    m_changed.notify_all();
}

void Bzip2Workers::waitFor(const Bzip2Job& job)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return job.done; });
}

void Bzip2Workers::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [&] { return m_stopped || !m_waiting.empty(); });
        if (m_stopped)
            return;
        const std::shared_ptr<Bzip2Job> job = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        {
            const ThreadBudget::Share share(*m_budget);
            job->block = decompressBlock(job->segment);
        }
        lock.lock();
        job->done = true;
        m_changed.notify_all();
    }
}

} // namespace trainyard
