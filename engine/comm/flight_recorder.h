#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/comm/group_maker.h"
#include "engine/records/flight_ring.h"

namespace trainyard {

/// Writes this rank's flight ring (engine/records/RING_FORMAT.md): the newest collectives and passes, and
/// what the rank is doing, in a mapped file that outlives the process. The rank's thread enters collectives,
/// begins and ends passes, and sets activity; any thread may mark a collective as left. Costs two clock reads
/// and a cache line per collective and per pass.
class FlightRecorder {
public:
    struct Identity {
        Rank rank;
        WorldSize worldSize;
        std::uint32_t attempt = 1;
    };

    static constexpr std::uint32_t kDefaultCapacity = 256;
    static constexpr std::uint32_t kPassCapacity = 256;

    /// Replaces an older ring of that name. The folder must exist.
    static Result<std::unique_ptr<FlightRecorder>>
    create(const std::filesystem::path& file, Identity identity, std::uint32_t capacity = kDefaultCapacity);
    ~FlightRecorder();
    FlightRecorder(const FlightRecorder&) = delete;
    FlightRecorder& operator=(const FlightRecorder&) = delete;

    /// Records the members of a group, so that a reader knows which ranks the others wait for. There is room
    /// for those of makeProcessGroups(), however large the run; others beyond the ring's capacity are
    /// omitted.
    void describe(const GroupDescription& group);

    void setStep(Step step);
    void setActivity(Activity activity);

    /// The rank reached a collective; the ticket says which one has been left.
    std::uint64_t enter(std::uint32_t group, std::uint64_t sequence, CollectiveKind kind,
                        std::uint64_t bytes);
    void leave(std::uint64_t ticket);

    /// The rank's thread begins a pass, or what follows the passes (-1, -1); the ticket says which one ended.
    std::uint64_t beginPass(TracedWork work, int microBatch, int chunk);
    void endPass(std::uint64_t ticket);

private:
    FlightRecorder(void* mapping, std::size_t bytes);
    bool isDescribed(std::uint32_t group) const;
    FlightRingSlot& slotOf(std::uint64_t ticket);
    FlightPassSlot& passSlotOf(std::uint64_t ticket);

    FlightRingHeader* m_header;
    FlightRingSlot* m_slots;
    FlightPassSlot* m_passes;
    std::size_t m_mappedBytes;
};

} // namespace trainyard
