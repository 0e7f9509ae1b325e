#include "engine/records/flight_ring.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kMaxCapacity = 1u << 16;
constexpr std::uint32_t kMaxGroupWords = 1u << 24; ///< of a million ranks

template <typename Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Enum value)
{
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : std::string_view("unknown");
}

Error notARing(const std::string& name)
{
    return badInput(name + " is not a flight ring",
                    "trainyard-worker writes such files; this one is damaged");
}

// {number, count, rank, rank, ...} one after the other.
FlightSnapshot::Groups groupsFrom(std::string_view bytes, std::uint32_t usedWords)
{
    std::vector<std::uint32_t> words(std::min<std::size_t>(usedWords, bytes.size() / 4));
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    FlightSnapshot::Groups groups;
    for (std::size_t at = 0; at + 2 <= words.size();) {
        const std::size_t first = at + 2;
        const std::size_t end = first + words[at + 1];
        if (end > words.size())
            break;
        groups[words[at]].assign(words.begin() + static_cast<std::ptrdiff_t>(first),
                                 words.begin() + static_cast<std::ptrdiff_t>(end));
        at = end;
    }
    return groups;
}

FlightEntry entryFrom(const FlightRingSlot& slot)
{
    return {slot.sequence, slot.group, static_cast<CollectiveKind>(slot.kind), slot.bytes, slot.enteredNs,
            slot.leftNs,   slot.step};
}

FlightPass passFrom(const FlightPassSlot& slot)
{
    return {slot.index,      static_cast<TracedWork>(slot.work),
            slot.microBatch, slot.chunk,
            slot.enteredNs,  slot.leftNs,
            slot.step};
}

/// Of a ring of `capacity` slots, those that are not being overwritten, oldest first; `written` of them were
/// begun.
template <typename Slot, typename Take>
void readSlots(std::string_view slots, std::uint32_t capacity, std::uint64_t written, Take take)
{
    const std::uint64_t held = std::min<std::uint64_t>(written, capacity);
    for (std::uint64_t k = written - held; k < written; ++k) {
        Slot slot;
        std::memcpy(&slot, slots.data() + (k % capacity) * sizeof slot, sizeof slot);
        // The process may be writing, or was killed while it did: then the index is another one.
        if (slot.index == k + 1)
            take(slot);
    }
}

std::size_t bytesOfRing(const FlightRingHeader& header)
{
    return sizeof header + header.capacity * sizeof(FlightRingSlot) + header.groupWords * std::size_t{4} +
           header.passCapacity * sizeof(FlightPassSlot);
}

} // namespace

std::string_view nameOf(Activity activity)
{
    static constexpr std::array<std::string_view, 9> names{
        "starting", "input", "forward", "backward", "reduce", "optimizer", "checkpoint", "done", "failed"};
    return pick(names, activity);
}

std::string_view nameOf(CollectiveKind kind)
{
    static constexpr std::array<std::string_view, 8> names{"all-reduce", "broadcast",  "gather",
                                                           "barrier",    "all-gather", "reduce-scatter",
                                                           "message",    "all-to-all"};
    return pick(names, kind);
}

std::string_view nameOf(TracedWork work)
{
    static constexpr std::array<std::string_view, kTracedWorks> names{
        "forward", "backward", "backward of inputs", "backward of weights", "reduce", "optimizer"};
    return pick(names, work);
}

Result<FlightSnapshot> readFlightRing(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string bytes, readFile(file));
    return parseFlightRing(bytes, file.string());
}

Result<FlightSnapshot> parseFlightRing(std::string_view bytes, const std::string& name)
{
    FlightRingHeader header;
    if (bytes.size() < sizeof header)
        return notARing(name);
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, "TYRING01", sizeof header.magic) != 0 || header.capacity == 0 ||
        header.capacity > kMaxCapacity || header.groupWords > kMaxGroupWords ||
        header.groupWordsUsed > header.groupWords || header.passCapacity > kMaxCapacity ||
        bytes.size() < bytesOfRing(header))
        return notARing(name);

    const std::string_view slots = bytes.substr(sizeof header);
    const std::string_view groups = slots.substr(header.capacity * sizeof(FlightRingSlot));
    const std::string_view passes = groups.substr(header.groupWords * std::size_t{4});
    FlightSnapshot snapshot{header.rank,
                            header.worldSize,
                            header.pid,
                            header.attempt,
                            static_cast<Activity>(header.activity),
                            header.activitySinceNs,
                            header.step,
                            {},
                            {},
                            groupsFrom(groups, header.groupWordsUsed)};
    readSlots<FlightRingSlot>(slots, header.capacity, header.handedOver, [&](const FlightRingSlot& slot) {
        snapshot.entries.push_back(entryFrom(slot));
    });
    readSlots<FlightPassSlot>(passes, header.passCapacity, header.passesBegun,
                              [&](const FlightPassSlot& slot) {
                                  if (slot.work < kTracedWorks)
                                      snapshot.passes.push_back(passFrom(slot));
                              });
    return snapshot;
}

std::filesystem::path flightRingPath(const std::filesystem::path& runDirectory, int rank)
{
    return runDirectory / "ranks" / fmt::format("{:04}.ring", rank);
}

} // namespace trainyard
