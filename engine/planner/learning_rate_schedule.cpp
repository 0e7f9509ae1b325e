#include "engine/planner/learning_rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/check.h"

namespace trainyard {

LearningRateSchedule::LearningRateSchedule(const OptimizerSpec& spec, std::int64_t totalSteps)
    : m_spec(spec), m_totalSteps(totalSteps)
{
}

double LearningRateSchedule::at(std::int64_t step) const
{
    TRAINYARD_CHECK(step >= 1);
    const std::int64_t warmup = m_spec.warmupSteps;
    if (step <= warmup)
        return m_spec.learningRate * static_cast<double>(step) / static_cast<double>(warmup);
    const std::int64_t last = std::max(m_totalSteps, warmup + 1);
    const auto done = static_cast<double>(std::min(step, last) - 1 - warmup);
    return m_spec.learningRate * decayAt(done / static_cast<double>(last - warmup));
}

double LearningRateSchedule::decayAt(double progress) const
{
    switch (m_spec.schedule) {
    case ScheduleKind::Constant:
        return 1.0;
    case ScheduleKind::Linear:
        return 1.0 - progress;
    case ScheduleKind::Polynomial:
        return std::pow(1.0 - progress, m_spec.decayPower);
    case ScheduleKind::Cosine:
        return 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    }
    TRAINYARD_CHECK_MSG(false, "unknown schedule");
    return 1.0;
}

} // namespace trainyard
