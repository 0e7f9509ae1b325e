#include "engine/planner/planned_reading.h"

#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/data_mix.h"

namespace trainyard {

std::vector<PlannedReading> plannedReading(const RunSpec& spec, int length,
                                           const std::vector<std::uint64_t>& trainingRows)
{
    const std::vector<MixedDataSet> sets = spec.dataset.sets();
    const std::vector<std::uint64_t> share = DataMix(spec.dataset).shareOf(samplesOf(spec));
    double weights = 0;
    for (const MixedDataSet& set : sets)
        weights += set.weight;
    std::vector<PlannedReading> all;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto sequences = static_cast<double>(share[i]);
        PlannedReading& reading = all.emplace_back(
            PlannedReading{sets[i].path, sets[i].weight / weights, share[i], sequences * length});
        if (!trainingRows.empty() && trainingRows[i] > 0)
            reading.epochs = sequences / static_cast<double>(trainingRows[i]);
    }
    return all;
}

} // namespace trainyard
