#include "remote/agent/supervise/restart_policy.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard::agent {

namespace {

constexpr std::chrono::milliseconds kMaxDelay{5 * 60'000};

/// Returns 1, 2, 4, ... times the first delay.
std::chrono::milliseconds delayBefore(int restart, std::chrono::milliseconds first)
{
    std::chrono::milliseconds delay = first;
    for (int i = 1; i < restart && delay < kMaxDelay; ++i)
        delay *= 2;
    return std::min(delay, kMaxDelay);
}

} // namespace

bool RestartPolicy::wouldRunOutOfMemoryAgain(const FailedAttempt& attempt) const
{
    return attempt.kind == FailureKind::OutOfMemory &&
           (!attempt.finishedAStep || m_outOfMemoryAt == attempt.step);
}

RestartPolicy::Decision RestartPolicy::after(const FailedAttempt& attempt)
{
    if (attempt.kind == FailureKind::Work || m_spec.limit == 0)
        return {};
    if (wouldRunOutOfMemoryAgain(attempt))
        return {false, {}, "not restarted: it would run out of memory at the same point again"};
    // Any change counts as a new checkpoint, also to a lower step: a run that went back publishes those.
    // After a damaged one was set aside it is an older one, but only once for each.
    if (attempt.checkpoint != 0 && attempt.checkpoint != m_count.checkpoint)
        m_count = {0, attempt.checkpoint};
    if (m_count.restarts >= m_spec.limit)
        return {false,
                {},
                fmt::format("not restarted: {} restart{} produced no new checkpoint", m_count.restarts,
                            m_count.restarts == 1 ? "" : "s")};
    if (attempt.kind == FailureKind::OutOfMemory)
        m_outOfMemoryAt = attempt.step;
    ++m_count.restarts;
    return {true, delayBefore(m_count.restarts, m_spec.backoff), {}};
}

} // namespace trainyard::agent
