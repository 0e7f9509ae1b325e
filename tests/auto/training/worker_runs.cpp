#include "tests/auto/training/worker_runs.h"

#include <algorithm>

#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"

namespace trainyard {

namespace fs = std::filesystem;

fs::path WorkerRuns::makeRun(const RunSpec& spec)
{
    const fs::path run = root() / ("run" + std::to_string(++m_runs));
    return makeRunDirectory(run, spec).ok() ? run : fs::path();
}

std::vector<StepRecord> WorkerRuns::stepsOfOneRank(ModelFamily family, int steps)
{
    auto& curve = m_ofOneRank[{family, steps}];
    if (curve.empty()) {
        RunSpec spec = tinySpec(root() / "data", 1, ComputeType::Float64);
        spec.model.setFamily(family);
        const fs::path run = makeRun(spec);
        if (runWorkers({{{1, run}}, 1, steps}) == 0)
            curve = stepsOf(run);
    }
    return curve;
}

bool WorkerRuns::hasEvent(const fs::path& run, const std::string& kind)
{
    const auto events = eventsOf(run);
    return std::ranges::any_of(events, [&](const EventRecord& event) { return event.kind == kind; });
}

} // namespace trainyard
