#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "engine/planner/time/step_causes.h"
#include "engine/records/record.h"

namespace trainyard {

/// What a planned step and a measured one can both be split into, so that they can be set side by side and
/// have the same colours everywhere.
enum class CommonCause {
    Compute,      ///< what the device works: passes, repeated ones too, and the update
    Tensor,       ///< tensor-parallel ranks among each other, and context-parallel ones
    Pipeline,     ///< transfers between stages
    DataParallel, ///< gradients, and with ZeRO weights, that nothing hides
    Offload,      ///< copies to and from host memory that nothing hides
    Bubble,       ///< waiting for other pipeline stages
    Input,        ///< waiting for samples; the plan expects none
    Other,
};
constexpr std::size_t kCommonCauses = 8;

std::string_view nameOf(CommonCause cause); ///< "compute", "tensor", "pipeline", "data parallel", ...

CommonCause commonCauseOf(StepCause cause);
CommonCause commonCauseOf(StepPhase phase);

/// Seconds.
using TimeByCommonCause = std::array<double, kCommonCauses>;
TimeByCommonCause byCommonCause(const TimeByCause& planned);
TimeByCommonCause byCommonCause(const SecondsByPhase& measured);

} // namespace trainyard
