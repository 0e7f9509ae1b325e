#include "engine/planner/time/common_causes.h"

namespace trainyard {

namespace {

template <typename Cause, std::size_t N>
TimeByCommonCause gathered(const std::array<double, N>& seconds)
{
    TimeByCommonCause common{};
    for (std::size_t i = 0; i < N; ++i)
        common[static_cast<std::size_t>(commonCauseOf(static_cast<Cause>(i)))] += seconds[i];
    return common;
}

} // namespace

std::string_view nameOf(CommonCause cause)
{
    static constexpr std::array<std::string_view, kCommonCauses> kNames{
        "compute", "tensor", "pipeline", "data parallel", "offload", "bubble", "input", "other"};
    return kNames[static_cast<std::size_t>(cause)];
}

CommonCause commonCauseOf(StepCause cause)
{
    switch (cause) {
    case StepCause::Products:
    case StepCause::Traffic:
    case StepCause::Launches:
    case StepCause::Recompute:
    case StepCause::Optimizer:
        return CommonCause::Compute;
    case StepCause::Tensor:
    case StepCause::Context:
    case StepCause::Experts:
        return CommonCause::Tensor;
    case StepCause::Gathers:
    case StepCause::Reductions:
        return CommonCause::DataParallel;
    case StepCause::Offload:
        return CommonCause::Offload;
    case StepCause::Transfers:
        return CommonCause::Pipeline;
    case StepCause::Bubble:
        return CommonCause::Bubble;
    case StepCause::MicroBatches:
    case StepCause::Stragglers:
        break;
    }
    return CommonCause::Other;
}

CommonCause commonCauseOf(StepPhase phase)
{
    switch (phase) {
    case StepPhase::Input:
        return CommonCause::Input;
    case StepPhase::Forward:
    case StepPhase::Backward:
    case StepPhase::Optimizer:
        return CommonCause::Compute;
    case StepPhase::Tensor:
    case StepPhase::Context:
    case StepPhase::Expert:
        return CommonCause::Tensor;
    case StepPhase::Transfers:
        return CommonCause::Pipeline;
    case StepPhase::Reduce:
        return CommonCause::DataParallel;
    case StepPhase::Offload:
        return CommonCause::Offload;
    case StepPhase::Bubble:
        return CommonCause::Bubble;
    case StepPhase::Other:
        break;
    }
    return CommonCause::Other;
}

TimeByCommonCause byCommonCause(const TimeByCause& planned)
{
    return gathered<StepCause>(planned);
}

TimeByCommonCause byCommonCause(const SecondsByPhase& measured)
{
    return gathered<StepPhase>(measured);
}

} // namespace trainyard
