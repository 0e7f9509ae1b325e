#include "engine/spec/phases/batch_ramp.h"

#include <algorithm>

namespace trainyard {

BatchRamp::BatchRamp(const BatchSpec& batch) : m_batch(batch)
{
    const BatchRampSpec& ramp = batch.ramp;
    // Also for what validate() refuses, while somebody types it.
    if (ramp.isOn() && ramp.increment > 0 && ramp.samples > 0 && ramp.start < batch.global)
        m_levels = static_cast<std::uint64_t>((batch.global - ramp.start) / ramp.increment);
}

std::uint64_t BatchRamp::levelAfter(std::uint64_t samples) const
{
    const auto all = static_cast<std::uint64_t>(m_batch.ramp.samples);
    return samples >= all ? m_levels : samples * m_levels / all;
}

int BatchRamp::globalAfter(std::uint64_t samples) const
{
    const std::uint64_t level = m_levels == 0 ? 0 : levelAfter(samples);
    return level == m_levels ? m_batch.global
                             : m_batch.ramp.start + static_cast<int>(level) * m_batch.ramp.increment;
}

/// Until as many sequences are consumed as the next level begins with.
std::int64_t BatchRamp::stepsAtLevel(std::uint64_t samples) const
{
    const auto roundedUp = [](std::uint64_t number, std::uint64_t divisor) {
        return (number + divisor - 1) / divisor;
    };
    const std::uint64_t next =
        roundedUp((levelAfter(samples) + 1) * static_cast<std::uint64_t>(m_batch.ramp.samples), m_levels);
    return static_cast<std::int64_t>(
        roundedUp(next - samples, static_cast<std::uint64_t>(globalAfter(samples))));
}

std::vector<BatchRamp::Stretch> BatchRamp::stretches(std::int64_t steps) const
{
    std::vector<Stretch> all;
    std::uint64_t samples = 0;
    while (steps > 0) {
        const int global = globalAfter(samples);
        const bool isLast = m_levels == 0 || levelAfter(samples) == m_levels;
        const std::int64_t here = isLast ? steps : std::min(steps, stepsAtLevel(samples));
        all.push_back({global, here});
        samples += static_cast<std::uint64_t>(here) * static_cast<std::uint64_t>(global);
        steps -= here;
    }
    return all;
}

std::uint64_t BatchRamp::samplesOf(std::int64_t steps) const
{
    std::uint64_t samples = 0;
    for (const Stretch& stretch : stretches(steps))
        samples += static_cast<std::uint64_t>(stretch.steps) * static_cast<std::uint64_t>(stretch.global);
    return samples;
}

std::int64_t BatchRamp::stepsWithin(std::uint64_t samples) const
{
    std::int64_t steps = 0;
    std::uint64_t consumed = 0;
    while (consumed < samples) {
        const auto global = static_cast<std::uint64_t>(globalAfter(consumed));
        const bool isLast = m_levels == 0 || levelAfter(consumed) == m_levels;
        const std::uint64_t fitting = (samples - consumed) / global;
        const std::uint64_t here =
            isLast ? fitting : std::min(fitting, static_cast<std::uint64_t>(stepsAtLevel(consumed)));
        steps += static_cast<std::int64_t>(here);
        consumed += here * global;
        if (isLast || here == 0)
            break;
    }
    return steps;
}

std::uint64_t samplesOf(const RunSpec& spec)
{
    return BatchRamp(spec.batch).samplesOf(spec.launch.steps);
}

RunSpec atGlobalBatch(RunSpec spec, int global)
{
    spec.batch.global = global;
    spec.batch.accumulation = std::max(global / std::max(spec.batch.micro * spec.layout.data, 1), 1);
    spec.batch.ramp = {};
    return spec;
}

} // namespace trainyard
