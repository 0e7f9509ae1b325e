#include "engine/comm/flight_recorder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kMinGroupWords = 1u << 13;
constexpr std::uint32_t kGroupsOfRank = 10; ///< at most, each with all ranks; links take a few words

/// Number, size and members of each group.
std::uint32_t groupWordsFor(WorldSize world)
{
    return std::max(kMinGroupWords, kGroupsOfRank * (static_cast<std::uint32_t>(world.value) + 2));
}

template <typename Number>
void publish(Number& field, Number value)
{
    std::atomic_ref<Number>(field).store(value, std::memory_order_release);
}

std::int64_t monotonicNow()
{
    return systemClock().now().monotonicNs;
}

/// Writes the slot of the next ticket, which `written` counts, and returns the ticket. The index comes last
/// and is 0 until then: a reader of the mapping, at any moment, sees either a slot that is complete or none.
template <typename Slot, typename Fill>
std::uint64_t fill(Slot& slot, std::uint64_t& written, std::int64_t step, Fill fields)
{
    const std::uint64_t ticket = written;
    publish(slot.index, std::uint64_t{0});
    fields(slot);
    slot.enteredNs = monotonicNow();
    publish(slot.leftNs, std::int64_t{0});
    slot.step = step;
    publish(slot.index, ticket + 1);
    publish(written, ticket + 1);
    return ticket;
}

} // namespace

Result<std::unique_ptr<FlightRecorder>> FlightRecorder::create(const std::filesystem::path& file,
                                                               Identity identity, std::uint32_t capacity)
{
    TRAINYARD_CHECK(capacity > 0);
    const std::uint32_t groupWords = groupWordsFor(identity.worldSize);
    const std::size_t bytes = sizeof(FlightRingHeader) + capacity * sizeof(FlightRingSlot) +
                              groupWords * std::size_t{4} + kPassCapacity * sizeof(FlightPassSlot);
    const FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!descriptor.valid())
        return systemError(ErrorKind::Failed, "cannot write " + file.string(), errno);
    // Blocks are reserved now: a write into a hole of a mapping on a full disk would kill the process.
    if (const int error = ::posix_fallocate(descriptor.get(), 0, static_cast<off_t>(bytes)); error != 0)
        return systemError(ErrorKind::Failed, "cannot write " + file.string(), error);
    void* mapping = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
    if (mapping == MAP_FAILED)
        return systemError(ErrorKind::Failed, "cannot map " + file.string(), errno);

    auto* header = static_cast<FlightRingHeader*>(mapping);
    header->capacity = capacity;
    header->groupWords = groupWords;
    header->passCapacity = kPassCapacity;
    header->rank = identity.rank.value;
    header->worldSize = identity.worldSize.value;
    header->pid = static_cast<std::int32_t>(::getpid());
    header->attempt = identity.attempt;
    header->activitySinceNs = monotonicNow();
    std::memcpy(header->magic, "TYRING01", sizeof header->magic);
    return std::unique_ptr<FlightRecorder>(new FlightRecorder(mapping, bytes));
}

FlightRecorder::FlightRecorder(void* mapping, std::size_t bytes)
    : m_header(static_cast<FlightRingHeader*>(mapping))
    , m_slots(reinterpret_cast<FlightRingSlot*>(m_header + 1))
    , m_passes(reinterpret_cast<FlightPassSlot*>(
          reinterpret_cast<std::uint32_t*>(m_slots + m_header->capacity) + m_header->groupWords))
    , m_mappedBytes(bytes)
{
}

FlightRecorder::~FlightRecorder()
{
    ::munmap(m_header, m_mappedBytes);
}

bool FlightRecorder::isDescribed(std::uint32_t group) const
{
    const auto* const words = reinterpret_cast<const std::uint32_t*>(m_slots + m_header->capacity);
    for (std::uint32_t at = 0; at < m_header->groupWordsUsed; at += words[at + 1] + 2) {
        if (words[at] == group)
            return true;
    }
    return false;
}

void FlightRecorder::describe(const GroupDescription& group)
{
    if (isDescribed(group.number)) // each phase of a run makes its groups anew
        return;
    const std::uint32_t used = m_header->groupWordsUsed;
    const auto count = static_cast<std::uint32_t>(group.members.size());
    // No room: the verdict then names the group by its number alone.
    if (count + 2 > m_header->groupWords - used)
        return;
    auto* words = reinterpret_cast<std::uint32_t*>(m_slots + m_header->capacity) + used;
    *words++ = group.number;
    *words++ = count;
    for (const Rank member : group.members)
        *words++ = static_cast<std::uint32_t>(member.value);
    publish(m_header->groupWordsUsed, used + 2 + count);
}

void FlightRecorder::setStep(Step step)
{
    publish(m_header->step, step.value);
}

void FlightRecorder::setActivity(Activity activity)
{
    publish(m_header->activitySinceNs, monotonicNow());
    publish(m_header->activity, static_cast<std::uint32_t>(activity));
}

FlightRingSlot& FlightRecorder::slotOf(std::uint64_t ticket)
{
    return m_slots[ticket % m_header->capacity];
}

std::uint64_t FlightRecorder::enter(std::uint32_t group, std::uint64_t sequence, CollectiveKind kind,
                                    std::uint64_t bytes)
{
    return fill(slotOf(m_header->handedOver), m_header->handedOver, m_header->step,
                [&](FlightRingSlot& slot) {
                    slot.sequence = sequence;
                    slot.group = group;
                    slot.kind = static_cast<std::uint32_t>(kind);
                    slot.bytes = bytes;
                });
}

void FlightRecorder::leave(std::uint64_t ticket)
{
    FlightRingSlot& slot = slotOf(ticket);
    // Else the ring has come round while the collective ran, and the slot is another one's.
    if (std::atomic_ref(slot.index).load(std::memory_order_acquire) == ticket + 1)
        publish(slot.leftNs, monotonicNow());
}

FlightPassSlot& FlightRecorder::passSlotOf(std::uint64_t ticket)
{
    return m_passes[ticket % m_header->passCapacity];
}

std::uint64_t FlightRecorder::beginPass(TracedWork work, int microBatch, int chunk)
{
    return fill(passSlotOf(m_header->passesBegun), m_header->passesBegun, m_header->step,
                [&](FlightPassSlot& slot) {
                    slot.work = static_cast<std::uint32_t>(work);
                    slot.microBatch = microBatch;
                    slot.chunk = chunk;
                });
}

void FlightRecorder::endPass(std::uint64_t ticket)
{
    FlightPassSlot& slot = passSlotOf(ticket);
    if (slot.index == ticket + 1)
        publish(slot.leftNs, monotonicNow());
}

} // namespace trainyard
