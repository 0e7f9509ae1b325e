#include "engine/planner/learning_rate_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/check.h"

namespace trainyard {

namespace {

double cosineDecay(double progress)
{
    return 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

double shapeAt(DecayShape shape, double progress)
{
    switch (shape) {
    case DecayShape::Linear:
        return 1.0 - progress;
    case DecayShape::Cosine:
        return cosineDecay(progress);
    case DecayShape::Exponential:
        return 2.0 * std::pow(0.5, progress) - 1.0;
    case DecayShape::OneMinusSqrt:
        return 1.0 - std::sqrt(progress);
    }
    TRAINYARD_CHECK_MSG(false, "unknown decay shape");
    return 1.0;
}

} // namespace

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
    return m_spec.learningRate * factorAt(std::min(step, last), last);
}

double LearningRateSchedule::factorAt(std::int64_t step, std::int64_t last) const
{
    const bool isStableFirst = m_spec.schedule == ScheduleKind::WarmupStableDecay;
    const std::int64_t falls = isStableFirst ? m_spec.decayStepsOf(m_totalSteps) : last - m_spec.warmupSteps;
    const auto done = static_cast<double>(std::max<std::int64_t>(step - 1 - (last - falls), 0));
    return decayAt(done / static_cast<double>(std::max<std::int64_t>(falls, 1)));
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
        return cosineDecay(progress);
    case ScheduleKind::WarmupStableDecay:
        return shapeAt(m_spec.decayShape, progress);
    }
    TRAINYARD_CHECK_MSG(false, "unknown schedule");
    return 1.0;
}

} // namespace trainyard
