#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <sys/types.h>

namespace trainyard::stand_in {

constexpr int kMaxRanks = 16;
constexpr std::uint64_t kRememberedCalls = 1024;
constexpr std::size_t kMaxConditions = 64;

/// What a rank says of a collective that it calls, and all must say alike. Names and types are NCCL's.
struct CollectiveCall {
    enum Kind : int { AllReduce, Broadcast, AllGather, ReduceScatter };

    Kind kind = AllReduce;
    int type = 0;
    int operation = 0; ///< of reductions
    int root = 0;      ///< of broadcasts
    std::uint64_t count = 0;

    bool operator==(const CollectiveCall&) const = default;
    std::string text() const;
};

/// One direction between two ranks. The sender has `offered` so many messages, the last one at this offset of
/// its device; the receiver has `taken` so many.
struct Channel {
    std::atomic<bool> senderIsReady, receiverIsReady;
    std::uint64_t offset, bytes;
    std::atomic<std::uint64_t> offered, taken;
};

/// Until the counter, which `peer` advances, has the value. A transfer goes on when all of its conditions
/// hold.
struct Condition {
    int peer;
    int transfer;                ///< of those that the rank's device is at
    std::uint64_t counterOffset; ///< in the segment
    std::uint64_t wanted;
};

enum class Presence : int { Absent, Here, Aborted, Destroyed };

/// What one rank tells the others.
struct RankPart {
    std::atomic<Presence> presence;
    std::atomic<bool> isConnected; ///< for collectives
    pid_t pid;
    int memoryFile; ///< of its device, in its process
    std::uint64_t memoryBytes;

    // What its host called.
    std::atomic<std::uint64_t> called;
    CollectiveCall calls[kRememberedCalls]; ///< call n at n % kRememberedCalls

    // How far its device is: it has come to that collective with an operand at this offset, and has read the
    // others' operands.
    std::uint64_t operandOffset;
    std::atomic<std::uint64_t> arrived, read;
    Channel to[kMaxRanks];

    // What its device waits for.
    std::atomic<std::uint64_t> turn; ///< odd while the conditions change
    char doing[64];
    std::uint64_t conditionCount;
    Condition conditions[kMaxConditions];

    // Of the splits that it takes part in: how many, the last one's terms, and the file of the new segment if
    // this rank makes one.
    std::atomic<std::uint64_t> splits, splitsMade, splitsSeen;
    int color, key, newFile;
};

/// Memory that all ranks of a communicator share: an anonymous file of the process that made its id.
struct SharedPart {
    std::atomic<int> errorState; ///< 0: none, 1: being written, 2: there
    char error[512];
    RankPart ranks[kMaxRanks];
};

/// Maps files of processes of this machine, this one included.
class Mapping {
public:
    Mapping() = default;
    Mapping(pid_t pid, int file, std::size_t bytes, bool writes);
    ~Mapping();
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;

    /// Null when the process has ended.
    std::byte* start() const { return m_start; }

private:
    std::byte* m_start = nullptr;
    std::size_t m_bytes = 0;
};

/// A new file for a SharedPart, all zero. Stays open, so that others can map it.
int makeSharedFile();

} // namespace trainyard::stand_in
