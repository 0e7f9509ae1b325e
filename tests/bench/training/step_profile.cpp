#include "tests/bench/training/step_profile.h"

#include <set>

#include <torch/csrc/autograd/profiler_kineto.h>

namespace trainyard {

namespace profiler = torch::autograd::profiler;

StepProfile::StepProfile()
{
    const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO);
    const std::set<profiler::ActivityType> activities{profiler::ActivityType::CPU,
                                                      profiler::ActivityType::CUDA};
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities, {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE});
}

void StepProfile::save(const std::filesystem::path& file)
{
    profiler::disableProfiler()->save(file.string());
}

} // namespace trainyard
