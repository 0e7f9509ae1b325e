#include "tests/faults/soak/fault_plan.h"

#include <algorithm>
#include <array>
#include <random>

namespace trainyard::soak {

namespace {

constexpr Moment kQuietBeginningMs = 3'000;
constexpr Moment kMinPauseMs = 1'500, kMaxPauseMs = 5'000;
constexpr Moment kMinMs = 2'000, kMaxMs = 7'000;
constexpr Moment kMinHiddenMs = 5'000, kMaxHiddenMs = 9'000; ///< longer than a restart takes
constexpr Moment kMaxDarkMs = 4'000;
constexpr int kVariants = 6;
constexpr int kFirstOfCheckpoints = int(FaultKind::CutShard);

constexpr std::array<std::string_view, kFaultKinds> kNames{
    "worker killed",     "launcher killed",   "supervisor killed", "agent killed",
    "connections reset", "desk killed",       "link cut",          "link delayed",
    "packets lost",      "link slow",         "disk full",         "worker suspended",
    "clock set",         "node lost",         "shard cut",         "shard deleted",
    "bit flipped",       "manifest cut",      "manifest deleted",  "latest deleted",
    "latest emptied",    "latest misnamed",   "latest garbled",    "gone back",
    "temporary left",    "folder unreadable", "latest unreadable", "checkpoint unreadable"};

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

bool isHiding(FaultKind kind)
{
    return kind == FaultKind::HideFolder || kind == FaultKind::HideLatest ||
           kind == FaultKind::HideCheckpoint;
}

/// 0 = over at once.
Moment lengthOf(FaultKind kind, Dice& dice)
{
    if (kind == FaultKind::LoseNode)
        return dice.between(kMinMs, kMaxDarkMs);
    if (isHiding(kind))
        return dice.between(kMinHiddenMs, kMaxHiddenMs);
    const bool lasts = isOfLink(kind) || kind == FaultKind::FillDisk || kind == FaultKind::SuspendWorker ||
                       kind == FaultKind::JumpClock;
    return lasts ? dice.between(kMinMs, kMaxMs) : 0;
}

int hostFor(FaultKind kind, int hosts, Dice& dice)
{
    if (kind == FaultKind::KillSupervisor || isOfCheckpoints(kind))
        return 0;
    if (kind == FaultKind::LoseNode)
        return int(dice.between(1, hosts - 1));
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

/// Kinds in an order of chance, each of them once before one comes again.
class Deck {
public:
    Deck(int first, int end)
    {
        for (int kind = first; kind < end; ++kind)
            m_cards.push_back(kind);
    }

    FaultKind draw(Dice& dice)
    {
        if (m_next % m_cards.size() == 0)
            dice.shuffle(m_cards);
        return FaultKind(m_cards[m_next++ % m_cards.size()]);
    }

private:
    std::vector<int> m_cards;
    std::size_t m_next = 0;
};

PlannedFault faultAt(Moment at, FaultKind kind, int hosts, Dice& dice)
{
    PlannedFault fault;
    fault.atMs = at;
    fault.kind = kind;
    fault.host = hostFor(kind, hosts, dice);
    fault.lastsMs = lengthOf(kind, dice);
    fault.variant = int(dice.between(0, kVariants - 1));
    return fault;
}

/// What makes the run restart. A node takes longer to come back than a rank: one of three.
PlannedFault blowBehind(const PlannedFault& fault, int hosts, Dice& dice)
{
    const auto kind = fault.variant % 3 == 2 ? FaultKind::LoseNode : FaultKind::KillWorker;
    return faultAt(fault.atMs, kind, hosts, dice);
}

} // namespace

std::string_view nameOf(FaultKind kind)
{
    return kNames[std::size_t(kind)];
}

bool isOfCheckpoints(FaultKind kind)
{
    return int(kind) >= kFirstOfCheckpoints;
}

std::vector<PlannedFault> planFaults(std::uint64_t seed, Moment lengthMs, int hosts)
{
    Dice dice(seed);
    std::vector<PlannedFault> plan;
    Deck ofCheckpoints(kFirstOfCheckpoints, kFaultKinds), ofMachines(0, kFirstOfCheckpoints);
    Moment at = kQuietBeginningMs;
    for (int turn = 0;; ++turn) {
        Deck& deck = turn % 3 == 2 ? ofMachines : ofCheckpoints;
        PlannedFault fault = faultAt(at, deck.draw(dice), hosts, dice);
        fault.atMs = whenFree(fault, plan);
        if (fault.atMs + std::max(fault.lastsMs, kMaxDarkMs) > lengthMs)
            return plan;
        plan.push_back(fault);
        if (isOfCheckpoints(fault.kind))
            plan.push_back(blowBehind(fault, hosts, dice));
        at = fault.atMs + dice.between(kMinPauseMs, kMaxPauseMs);
    }
}

} // namespace trainyard::soak
