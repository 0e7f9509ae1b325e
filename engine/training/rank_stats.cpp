#include "engine/training/rank_stats.h"

#include <cstring>
#include <numeric>
#include <type_traits>

#include "engine/base/resident_set.h"
#include "engine/comm/process_group.h"
#include "engine/memory/memory_ledger.h"

namespace trainyard {

namespace {

// All ranks run the same program, so the structure can be sent as bytes.
static_assert(std::is_trivially_copyable_v<RankStats>);

MemorySnapshot takePeak(MemoryLedger& ledger)
{
    const MemorySnapshot peak = ledger.peak();
    ledger.resetPeak();
    return peak;
}

} // namespace

void startPeaks(const RankMemory& memory)
{
    memory.host.resetPeak();
    if (memory.device)
        memory.device->resetPeak();
}

RankStats takeRankStats(const RankMemory& memory, const SecondsByPhase& seconds)
{
    MemorySnapshot peak = takePeak(memory.host);
    if (memory.device) {
        const Bytes offloaded = peak.bytes[std::size_t(MemoryCategory::Host)];
        peak = takePeak(*memory.device);
        peak.bytes[std::size_t(MemoryCategory::Host)] = offloaded;
    }
    return {peak.bytes, peak.total, residentSetBytes(), seconds};
}

std::vector<RankStats> gatherRankStats(ProcessGroup& group, const RankStats& mine)
{
    std::vector<RankStats> all;
    for (const std::string& bytes : group.gather({reinterpret_cast<const char*>(&mine), sizeof mine})) {
        TRAINYARD_CHECK(bytes.size() == sizeof(RankStats));
        std::memcpy(&all.emplace_back(), bytes.data(), bytes.size());
    }
    return all;
}

double stepSeconds(const RankStats& stats)
{
    return std::accumulate(stats.seconds.begin(), stats.seconds.end(), 0.0);
}

} // namespace trainyard
