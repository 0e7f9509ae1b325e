#include "tests/device/stand_in/cudart/stream.h"

#include <cstdlib>
#include <random>

namespace trainyard::stand_in {

namespace {

using std::chrono::microseconds;

/// Pauses of a stream, always the same for the same seed.
class Delays {
public:
    explicit Delays(std::size_t stream)
    {
        if (const char* const seed = std::getenv("TRAINYARD_STAND_IN_DELAYS")) {
            m_random.seed(std::strtoull(seed, nullptr, 10) * 1000 + stream);
            m_most = microseconds(2000);
        }
    }
    void pause()
    {
        if (m_most > microseconds(0))
            std::this_thread::sleep_for(microseconds(m_random() % static_cast<unsigned>(m_most.count())));
    }

private:
    std::mt19937_64 m_random;
    microseconds m_most{0};
};

} // namespace

Stream::~Stream()
{
    if (!m_thread.joinable())
        return;
    finish();
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

void Stream::add(std::function<void()> task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(task));
        if (!m_thread.joinable())
            m_thread = std::thread([this] { work(); });
    }
    m_changed.notify_all();
}

bool Stream::isIdle()
{
    const std::lock_guard lock(m_mutex);
    return m_tasks.empty();
}

void Stream::finish()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_tasks.empty(); });
}

void Stream::work()
{
    Delays delays(m_number);
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_ending || !m_tasks.empty(); });
        if (m_tasks.empty())
            return;
        const std::function<void()>& task = m_tasks.front();
        lock.unlock();
        delays.pause();
        task();
        lock.lock();
        m_tasks.pop_front();
        m_changed.notify_all();
    }
}

void Moment::come()
{
    m_time = std::chrono::steady_clock::now();
    m_come = true;
    m_come.notify_all();
}

void Moment::await()
{
    m_come.wait(false);
}

float Moment::millisecondsSince(const Moment& earlier) const
{
    return std::chrono::duration<float, std::milli>(m_time - earlier.m_time).count();
}

} // namespace trainyard::stand_in
