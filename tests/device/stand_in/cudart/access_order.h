#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace trainyard::stand_in {

/// Memory that an operation of the device touches.
struct Access {
    const void* start = nullptr;
    std::size_t bytes = 0;
    bool writes = false;
};

/// Whether every two operations that touch the same memory, one of them writing, come in an order that the
/// program asked for: on one stream, by events, or by a host thread that waited in between. Vector clocks
/// (Mattern 1989; their use for races: FastTrack, Flanagan and Freund 2009): what a stream or thread knows to
/// be before it is a number of operations per stream. Works on the order of the calls alone, whatever runs
/// when. Any thread.
class AccessOrder {
public:
    using StreamNumber = std::size_t; ///< 0-based
    using Clock = std::vector<std::uint64_t>;

    /// The stream is given one more operation by the calling thread. Reports accesses without an order.
    void add(StreamNumber stream, const std::string& operation, std::span<const Access> accesses);
    /// What is before an event that the calling thread lets the stream record.
    Clock record(StreamNumber stream);
    /// The stream goes on behind an event.
    void wait(StreamNumber stream, const Clock& event);
    /// The calling thread has waited for an event, or for all that a stream was given.
    void hostWaited(const Clock& event);
    Clock of(StreamNumber stream);
    Clock ofAll();
    /// The memory is the device's again.
    void forget(const void* start, std::size_t bytes);

private:
    /// An operation that touched memory.
    struct Use {
        StreamNumber stream = 0;
        std::uint64_t count = 0; ///< 0: none
        std::shared_ptr<const std::string> operation;
    };
    struct Mark {
        std::uintptr_t end = 0;
        Use written;
        std::vector<Use> read; ///< since then
    };

    Clock& known(StreamNumber stream);
    void cut(std::uintptr_t address);
    void touch(const Access& access, const Clock& before, const Use& use);
    static void check(const Mark& mark, bool writes, const Clock& before, const Use& use);

    std::mutex m_mutex;
    std::vector<Clock> m_streams;
    std::map<std::uintptr_t, Mark> m_marks; // by start; they do not overlap
};

} // namespace trainyard::stand_in
