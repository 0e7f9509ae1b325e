#include "engine/optim/loss_scaler.h"

#include <algorithm>

namespace trainyard {

namespace {

constexpr double kGrowth = 2;

} // namespace

LossScaler::LossScaler(const PrecisionSpec& spec, const LossScaleState& carried)
    : m_spec(spec.lossScale), m_isOn(spec.compute == ComputeType::Float16), m_state(carried)
{
    if (!m_isOn || m_state.scale > 0)
        return;
    m_state.scale = m_spec.initial;
    m_state.overflowsLeft = m_spec.hysteresis;
}

void LossScaler::update(bool overflowed)
{
    if (!m_isOn)
        return;
    if (overflowed)
        return lower();
    if (++m_state.cleanSteps < m_spec.growthInterval)
        return;
    m_state.cleanSteps = 0;
    m_state.overflowsLeft = m_spec.hysteresis;
    m_state.scale *= kGrowth;
}

void LossScaler::lower()
{
    // One overflow may be bad luck (a spike of one batch); the scale is lowered when overflows have used up
    // the hysteresis, which only a whole growth interval without one restores.
    ++m_state.skippedSteps;
    m_state.cleanSteps = 0;
    m_state.overflowsLeft = std::max<std::int64_t>(0, m_state.overflowsLeft - 1);
    if (m_state.overflowsLeft == 0)
        m_state.scale = std::max(m_state.scale * m_spec.backoff, m_spec.minimum);
}

} // namespace trainyard
