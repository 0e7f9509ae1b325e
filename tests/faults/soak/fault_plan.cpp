#include "tests/faults/soak/fault_plan.h"

#include <algorithm>
#include <array>
#include <random>

namespace trainyard::soak {

namespace {

constexpr Moment kQuietBeginningMs = 3'000;
constexpr Moment kShortestPauseMs = 2'000, kLongestPauseMs = 7'000;
constexpr Moment kShortestMs = 2'000, kLongestMs = 9'000;

constexpr std::array<std::string_view, kFaultKinds> kNames{
    "worker killed", "launcher killed",  "supervisor killed", "agent killed", "connections reset",
    "desk killed",   "link cut",         "link delayed",      "packets lost", "link slow",
    "disk full",     "worker suspended", "clock set"};

/// Numbers that are the same with every standard library.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_random(seed) {}

    /// first <= number <= last
    Moment between(Moment first, Moment last)
    {
        return first + Moment(m_random() % std::uint64_t(last - first + 1));
    }
    template <typename Range>
    void shuffle(Range& range)
    {
        for (std::size_t i = range.size(); i > 1; --i)
            std::swap(range[i - 1], range[std::size_t(between(0, Moment(i) - 1))]);
    }

private:
    std::mt19937_64 m_random;
};

bool isOfLink(FaultKind kind)
{
    return kind == FaultKind::CutLink || kind == FaultKind::DelayLink || kind == FaultKind::LosePackets ||
           kind == FaultKind::SlowLink;
}

bool lasts(FaultKind kind)
{
    return isOfLink(kind) || kind == FaultKind::FillDisk || kind == FaultKind::SuspendWorker ||
           kind == FaultKind::JumpClock;
}

int hostFor(FaultKind kind, int hosts, Dice& dice)
{
    if (kind == FaultKind::KillSupervisor)
        return 0;
    if (kind == FaultKind::KillDesk)
        return hosts;
    const bool alsoTheDesk = isOfLink(kind) || kind == FaultKind::JumpClock;
    return int(dice.between(0, alsoTheDesk ? hosts : hosts - 1));
}

/// The next one comes when this host's link is free.
Moment whenFree(const PlannedFault& fault, const std::vector<PlannedFault>& plan)
{
    Moment free = fault.atMs;
    for (const PlannedFault& other : plan) {
        if (isOfLink(fault.kind) && isOfLink(other.kind) && fault.host == other.host)
            free = std::max(free, other.atMs + other.lastsMs + 1);
    }
    return free;
}

} // namespace

std::string_view nameOf(FaultKind kind)
{
    return kNames[std::size_t(kind)];
}

std::vector<PlannedFault> planFaults(std::uint64_t seed, Moment lengthMs, int hosts)
{
    Dice dice(seed);
    std::vector<PlannedFault> plan;
    std::array<int, kFaultKinds> deck{};
    for (std::size_t i = 0; i < deck.size(); ++i)
        deck[i] = int(i);
    Moment at = kQuietBeginningMs;
    for (;;) {
        dice.shuffle(deck);
        for (const int card : deck) {
            PlannedFault fault;
            fault.kind = FaultKind(card);
            fault.host = hostFor(fault.kind, hosts, dice);
            fault.lastsMs = lasts(fault.kind) ? dice.between(kShortestMs, kLongestMs) : 0;
            fault.atMs = at;
            fault.atMs = whenFree(fault, plan);
            if (fault.atMs + fault.lastsMs > lengthMs)
                return plan;
            plan.push_back(fault);
            at = fault.atMs + dice.between(kShortestPauseMs, kLongestPauseMs);
        }
    }
}

} // namespace trainyard::soak
