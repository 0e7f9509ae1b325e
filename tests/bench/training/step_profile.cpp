#include "tests/bench/training/step_profile.h"

#include <set>

#include <torch/csrc/autograd/profiler_kineto.h>

namespace trainyard {

namespace profiler = torch::autograd::profiler;

// The profiler refuses a thread that has one already, and takes the accounting of a device for one.
StepProfile::StepProfile() : m_accounting(c10::ThreadLocalDebugInfo::current())
{
    c10::ThreadLocalDebugInfo::_forceCurrentDebugInfo(nullptr);
    const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO);
    const std::set<profiler::ActivityType> activities{profiler::ActivityType::CPU,
                                                      profiler::ActivityType::CUDA};
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities, {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE});
}

void StepProfile::save(const std::filesystem::path& file)
{
    profiler::disableProfiler()->save(file.string());
    c10::ThreadLocalDebugInfo::_forceCurrentDebugInfo(m_accounting);
}

} // namespace trainyard
