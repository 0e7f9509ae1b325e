#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/result.h"
#include "engine/records/record.h"

namespace trainyard {

/// What a rank is doing. The order is part of the ring's format: append only.
enum class Activity : std::uint8_t {
    Starting,
    Input,
    Forward,
    Backward,
    Reduce,
    Optimizer,
    Checkpoint,
    Done,
    Failed
};
std::string_view nameOf(Activity activity); ///< "starting", "input", ...

/// The order is part of the ring's format: append only.
enum class CollectiveKind : std::uint8_t {
    AllReduce,
    Broadcast,
    Gather,
    Barrier,
    AllGather,
    ReduceScatter,
    Message, ///< from one rank to another: entered by the sender and by the receiver
    AllToAll
};
std::string_view nameOf(CollectiveKind kind); ///< "all-reduce", "broadcast", ...
std::string_view nameOf(TracedWork work);     ///< "forward", "backward", "backward of inputs", ...

/// The file `ranks/NNNN.ring`: one header, `capacity` slots, the groups, slots of passes; little-endian,
/// naturally aligned, written through a shared mapping, so it survives however the rank dies. RING_FORMAT.md
/// describes it.
struct FlightRingHeader {
    char magic[8];          ///< "TYRING01"
    std::uint32_t capacity; ///< slots that follow
    std::int32_t rank;
    std::int32_t worldSize;
    std::int32_t pid;
    std::uint32_t attempt;
    std::uint32_t activity;       ///< Activity
    std::int64_t activitySinceNs; ///< monotonic clock of the node
    std::int64_t step;            ///< 1-based step under way; 0 = before the first
    std::uint64_t handedOver; ///< collectives written so far; collective k (0-based) is in slot k % capacity
    std::uint32_t groupWords; ///< 32-bit words behind the slots that groups may take
    std::uint32_t groupWordsUsed;
    std::uint32_t passCapacity; ///< slots of passes, behind the groups
    std::uint32_t reservedWord;
    std::uint64_t passesBegun; ///< so far; pass k (0-based) is in slot k % passCapacity
    char reserved[48];
};
static_assert(sizeof(FlightRingHeader) == 128 && std::is_trivially_copyable_v<FlightRingHeader>);

struct FlightRingSlot {
    std::uint64_t index;    ///< k + 1, written last; 0 = empty, another value = being overwritten
    std::uint64_t sequence; ///< 1, 2, 3, ... within the group: equal on all its ranks
    std::uint32_t group;    ///< number of the group; 0 = all ranks
    std::uint32_t kind;     ///< CollectiveKind
    std::uint64_t bytes;    ///< of this rank's buffer
    std::int64_t enteredNs; ///< the rank reached the call; monotonic clock of the node
    std::int64_t leftNs;    ///< it was finished; 0 = not yet
    std::int64_t step;      ///< step under way when it was entered
    std::uint64_t reserved;
};
static_assert(sizeof(FlightRingSlot) == 64 && std::is_trivially_copyable_v<FlightRingSlot>);

/// Work of a step on the rank alone: a pass of a micro-batch, or what follows the passes.
struct FlightPassSlot {
    std::uint64_t index;     ///< k + 1, written last; 0 = empty, another value = being overwritten
    std::uint32_t work;      ///< TracedWork
    std::int32_t microBatch; ///< -1 = of none
    std::int32_t chunk;      ///< of the rank's model chunks; -1 = of none
    std::uint32_t reservedWord;
    std::int64_t enteredNs; ///< monotonic clock of the node
    std::int64_t leftNs;    ///< 0 = not yet
    std::int64_t step;
    std::uint64_t reserved[2];
};
static_assert(sizeof(FlightPassSlot) == 64 && std::is_trivially_copyable_v<FlightPassSlot>);

/// One collective as a rank saw it.
struct FlightEntry {
    std::uint64_t sequence = 0;
    std::uint32_t group = 0;
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::uint64_t bytes = 0;
    std::int64_t enteredNs = 0;
    std::int64_t leftNs = 0; ///< 0 = still inside
    std::int64_t step = 0;
};

/// One pass as the rank's thread saw it. On a device it ends when all of it was queued.
struct FlightPass {
    std::uint64_t number = 0; ///< 1, 2, 3, ... of the rank's attempt
    TracedWork work = TracedWork::Forward;
    int microBatch = -1;
    int chunk = -1;
    std::int64_t enteredNs = 0;
    std::int64_t leftNs = 0; ///< 0 = under way
    std::int64_t step = 0;
};

/// A snapshot of a ring.
struct FlightSnapshot {
    using Groups = std::map<std::uint32_t, std::vector<int>>;

    int rank = 0;
    int worldSize = 0;
    int pid = 0;
    std::uint32_t attempt = 1;
    Activity activity = Activity::Starting;
    std::int64_t activitySinceNs = 0;
    std::int64_t step = 0;
    std::vector<FlightEntry> entries{}; ///< oldest first
    std::vector<FlightPass> passes{};   ///< oldest first
    Groups groups{};                    ///< global ranks of the groups that this rank is in, less group 0
};

/// Reads a ring, also one whose rank is writing it (slots being overwritten are left out). BadInput when the
/// file is missing or not a ring.
Result<FlightSnapshot> readFlightRing(const std::filesystem::path& file);
/// The same for bytes that the caller has read; errors call them `name`.
Result<FlightSnapshot> parseFlightRing(std::string_view bytes, const std::string& name);

/// `ranks/0003.ring` of a run directory.
std::filesystem::path flightRingPath(const std::filesystem::path& runDirectory, int rank);

} // namespace trainyard
