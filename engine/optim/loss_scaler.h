#pragma once

#include <cstdint>

#include "engine/records/loss_scale_state.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Dynamic loss scaling (Micikevicius et al., arXiv:1710.03740, section 3.2): float16 has no numbers between
/// 0 and 6e-8 nor above 65504, so the loss is multiplied by a scale, and the gradients are divided by it in
/// float32. The scale is as large as it can be:
///     overflow            the step is skipped; the scale is multiplied by `backoff`, once `hysteresis`
///                         overflows have come since it last grew
///     `growthInterval`    steps without one: the scale doubles, and the hysteresis starts anew
/// as Megatron's DynamicGradScaler. A pure function of the outcomes: ranks that are told the same stay equal.
/// Other compute types have the scale 1 and never skip; what they were given they carry along.
class LossScaler {
public:
    LossScaler(const PrecisionSpec& spec, const LossScaleState& carried);

    double scale() const { return m_isOn ? m_state.scale : 1.0; } ///< of the next step
    /// Whether an overflow now would be skipped: lowering the scale can still help.
    bool canSkip() const { return m_isOn && m_state.scale > m_spec.minimum; }
    /// After each step: whether its gradients overflowed on any rank.
    void update(bool overflowed);
    const LossScaleState& state() const { return m_state; }

private:
    void lower();

    LossScaleSpec m_spec;
    bool m_isOn;
    LossScaleState m_state;
};

} // namespace trainyard
