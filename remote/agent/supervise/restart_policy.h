#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard::agent {

/// Kind of failure, as far as a restart depends on it.
enum class FailureKind {
    Work,           ///< bad input, refusal, a loss that is not finite: it would recur
    Infrastructure, ///< a rank, its host or the launcher was lost, or the ranks hang
    OutOfMemory,    ///< the kernel killed a rank for lack of memory
};

struct FailedAttempt {
    FailureKind kind = FailureKind::Work;
    std::int64_t step = 0;       ///< last finished
    bool finishedAStep = false;  ///< in this attempt
    std::int64_t checkpoint = 0; ///< step of the newest one; 0 = none
};

/// How often a run was restarted since its newest checkpoint.
struct RestartCount {
    int restarts = 0;
    std::int64_t checkpoint = 0;

    bool operator==(const RestartCount&) const = default;
};

/// Decides whether and when a failed run is restarted automatically. Uses no clock and no file.
class RestartPolicy {
public:
    RestartPolicy(const RestartSpec& spec, const RestartCount& count) : m_spec(spec), m_count(count) {}

    struct Decision {
        bool restart = false;
        std::chrono::milliseconds delay{0}; ///< before the next attempt
        std::string refusal;                ///< why not; empty if the failure itself says it
    };
    Decision after(const FailedAttempt& attempt);

    const RestartCount& count() const { return m_count; }
    /// Returns how many restarts are left until the next checkpoint.
    int left() const { return m_spec.limit - m_count.restarts; }

private:
    bool wouldRunOutOfMemoryAgain(const FailedAttempt& attempt) const;

    RestartSpec m_spec;
    RestartCount m_count;
    std::optional<std::int64_t> m_outOfMemoryAt; ///< step of the last out-of-memory failure
};

} // namespace trainyard::agent
