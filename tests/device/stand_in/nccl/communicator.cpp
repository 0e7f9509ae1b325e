#include "tests/device/stand_in/nccl/communicator.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/device/stand_in/cudart/faults.h"
#include "tests/device/stand_in/cudart/findings.h"
#include "tests/device/stand_in/nccl/wait_cycle.h"

namespace trainyard::stand_in {

namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 50us;
constexpr int kLooksBeforeDoubt = 200;

bool isSetTo(const char* name, const char* value)
{
    const char* const set = std::getenv(name);
    return set && std::strcmp(set, value) == 0;
}

std::string rankText(int rank)
{
    return "rank " + std::to_string(rank);
}

} // namespace

std::string DeviceCall::text() const
{
    switch (kind) {
    case Kind::Send:
        return "ncclSend to " + rankText(peer);
    case Kind::Receive:
        return "ncclRecv from " + rankText(peer);
    default:
        return collective.text();
    }
}

Communicator::Communicator(const SharedPlace& place, int rank, int size, std::size_t deviceBytes)
    : m_mapping(place.pid, place.file, sizeof(SharedPart), true)
    , m_all{reinterpret_cast<SharedPart*>(m_mapping.start()), rank, size, {}}
{
    m_deviceBlocks.push_back(device().memory.allocate(deviceBytes));
    RankPart& mine = m_all.mine();
    if (mine.presence != Presence::Absent)
        fail(*m_all.shared, rankText(rank) + " is there twice");
    mine.pid = ::getpid();
    mine.memoryFile = device().memory.file();
    mine.memoryBytes = device().memory.totalBytes();
    mine.presence = Presence::Here;
}

template <typename Ready>
bool Communicator::waitFor(Ready ready) const
{
    while (!isStopped()) {
        if (ready())
            return true;
        std::this_thread::sleep_for(kBetweenLooks);
    }
    return false;
}

bool Communicator::meet()
{
    const auto isHere = [this](int rank) { return m_all.of(rank).presence != Presence::Absent; };
    for (int rank = 0; rank < size(); ++rank) {
        if (!waitFor([&] { return isHere(rank); }))
            return false;
        const RankPart& part = m_all.of(rank);
        m_processes.push_back(static_cast<int>(::syscall(SYS_pidfd_open, part.pid, 0)));
        if (!m_all.memories.emplace_back(part.pid, part.memoryFile, part.memoryBytes, false).start())
            return waitFor([] { return false; }); // for a rank that has ended meanwhile
    }
    return !isSetTo("NCCL_RUNTIME_CONNECT", "0") || connectCollectives();
}

bool Communicator::connectCollectives()
{
    if (m_all.mine().isConnected)
        return true;
    faultAt("connect");
    m_all.mine().isConnected = true;
    return waitFor([this] {
        return std::all_of(m_all.shared->ranks, m_all.shared->ranks + size(),
                           [](const RankPart& part) { return part.isConnected.load(); });
    });
}

// Both ends say that they are there before either waits, so the messages of a group connect in any order.
bool Communicator::connect(const std::vector<DeviceCall>& calls)
{
    std::vector<std::atomic<bool>*> others;
    bool hasCollective = false;
    for (const DeviceCall& call : calls) {
        hasCollective = hasCollective || call.kind == DeviceCall::Kind::Collective;
        if (call.kind == DeviceCall::Kind::Collective)
            continue;
        const bool sends = call.kind == DeviceCall::Kind::Send;
        Channel& channel = sends ? m_all.mine().to[call.peer] : m_all.of(call.peer).to[rank()];
        if (!(sends ? channel.senderIsReady : channel.receiverIsReady).exchange(true))
            faultAt("connect");
        others.push_back(sends ? &channel.receiverIsReady : &channel.senderIsReady);
    }
    if (hasCollective && !connectCollectives())
        return false;
    return waitFor(
        [&] { return std::ranges::all_of(others, [](const auto* ready) { return ready->load(); }); });
}

// Whoever calls second finds the difference.
void Communicator::compareWithOthers(std::uint64_t number) const
{
    const CollectiveCall& call = m_all.mine().calls[number % kRememberedCalls];
    for (int other = 0; other < size(); ++other) {
        const RankPart& part = m_all.of(other);
        const std::uint64_t called = part.called;
        const CollectiveCall& theirs = part.calls[number % kRememberedCalls];
        if (called < number || called >= number + kRememberedCalls || theirs == call)
            continue;
        fail(*m_all.shared, "collective " + std::to_string(number) + " differs: " + rankText(rank()) +
                                " calls " + call.text() + ", " + rankText(other) + " " + theirs.text());
        return;
    }
}

bool Communicator::publish(const CollectiveCall& call)
{
    const std::uint64_t number = ++m_collectives;
    const bool hasRoom = waitFor([&] {
        return std::all_of(m_all.shared->ranks, m_all.shared->ranks + size(), [&](const RankPart& part) {
            return number <= kRememberedCalls || part.called + kRememberedCalls > number;
        });
    });
    if (!hasRoom)
        return false;
    m_all.mine().calls[number % kRememberedCalls] = call;
    m_all.mine().called = number;
    compareWithOthers(number);
    return true;
}

ncclResult_t Communicator::submit(const std::vector<DeviceCall>& calls)
{
    if (const ncclResult_t result = error(); result != ncclSuccess)
        return result;
    if (!connect(calls))
        return isOver() ? ncclInternalError : error();
    std::vector<std::unique_ptr<Transfer>> transfers;
    std::vector<Access> accesses;
    std::string text;
    for (const DeviceCall& call : calls) {
        if (call.kind == DeviceCall::Kind::Collective && !publish(call.collective))
            return isOver() ? ncclInternalError : error();
        transfers.push_back(transferOf(call));
        const std::size_t ranks = static_cast<std::size_t>(size());
        const bool isCollective = call.kind == DeviceCall::Kind::Collective;
        const std::size_t bytes =
            isCollective ? call.collective.count * bytesOfType(call.collective.type) : call.bytes;
        const auto kind = call.collective.kind;
        if (call.in)
            accesses.push_back({call.in,
                                isCollective && kind == CollectiveCall::ReduceScatter ? bytes * ranks : bytes,
                                false});
        if (call.out)
            accesses.push_back(
                {call.out, isCollective && kind == CollectiveCall::AllGather ? bytes * ranks : bytes, true});
        text += (text.empty() ? "" : " and ") + call.text();
    }
    ++m_underWay;
    auto shared = std::make_shared<std::vector<std::unique_ptr<Transfer>>>(std::move(transfers));
    device().launch(device().streamOf(calls.front().stream), text, std::move(accesses), [this, shared, text] {
        run(std::move(*shared), text);
        --m_underWay;
    });
    return ncclSuccess;
}

std::unique_ptr<Transfer> Communicator::transferOf(const DeviceCall& call)
{
    switch (call.kind) {
    case DeviceCall::Kind::Send:
        return std::make_unique<SendTransfer>(m_all, call.peer, call.in, call.bytes);
    case DeviceCall::Kind::Receive:
        return std::make_unique<ReceiveTransfer>(m_all, call.peer, call.out, call.bytes);
    default:
        return std::make_unique<CollectiveTransfer>(m_all, m_collectives, call.collective, call.in, call.out);
    }
}

// On the stream's thread.
void Communicator::run(std::vector<std::unique_ptr<Transfer>> transfers, const std::string& text)
{
    std::string suspected;
    for (int looks = 1; !m_isAborted; ++looks) { // errors do not end what spins on a device
        std::erase_if(transfers, [](const auto& transfer) { return transfer->advance(); });
        if (transfers.empty())
            break;
        std::vector<Condition> conditions;
        for (std::size_t i = 0; i < transfers.size(); ++i) {
            const std::size_t before = conditions.size();
            transfers[i]->appendConditions(conditions);
            for (std::size_t c = before; c < conditions.size(); ++c)
                conditions[c].transfer = static_cast<int>(i);
        }
        if (looks % 10 == 0)
            show(conditions, text);
        if (looks % kLooksBeforeDoubt == 0 && error() == ncclSuccess)
            suspected = look(conditions, text, suspected);
        std::this_thread::sleep_for(kBetweenLooks);
    }
    show({}, {});
}

void Communicator::show(const std::vector<Condition>& conditions, const std::string& text) const
{
    RankPart& mine = m_all.mine();
    ++mine.turn;
    std::strncpy(mine.doing, text.c_str(), sizeof mine.doing - 1);
    mine.conditionCount = std::min(conditions.size(), kMaxConditions);
    std::copy_n(conditions.begin(), mine.conditionCount, mine.conditions);
    ++mine.turn;
}

// Reports that what it waits for cannot come: the peer has left, or waits for this rank. A circle is read
// from one rank after the other, which go on meanwhile; one that is still there the next time stays.
std::string Communicator::look(const std::vector<Condition>& conditions, const std::string& text,
                               const std::string& suspected) const
{
    for (const Condition& condition : conditions) {
        const bool hasLeft =
            m_all.of(condition.peer).presence == Presence::Destroyed; // after its last message
        if (!hasLeft || m_all.holds(condition))
            continue;
        fail(*m_all.shared, rankText(rank()) + " is in " + text + ", but " + rankText(condition.peer) +
                                " has destroyed the communicator");
        return {};
    }
    const std::string cycle = waitCycle(m_all);
    if (!cycle.empty() && cycle == suspected)
        fail(*m_all.shared, "no rank goes on: " + cycle);
    return cycle;
}

Communicator* Communicator::split(int color, int key, std::size_t deviceBytes)
{
    RankPart& mine = m_all.mine();
    const std::uint64_t number = ++m_splits;
    const auto allHave = [&](std::atomic<std::uint64_t> RankPart::*counter) {
        return waitFor([&] {
            return std::all_of(m_all.shared->ranks, m_all.shared->ranks + size(),
                               [&](const RankPart& part) { return part.*counter >= number; });
        });
    };
    mine.color = color;
    mine.key = key;
    mine.splits = number;
    if (!allHave(&RankPart::splits))
        return nullptr;
    std::vector<int> members;
    for (int other = 0; other < size(); ++other) {
        if (m_all.of(other).color == color)
            members.push_back(other);
    }
    std::ranges::stable_sort(members, {}, [this](int member) { return m_all.of(member).key; });
    const bool makes = color >= 0 && members.front() == rank();
    if (makes)
        mine.newFile = makeSharedFile();
    mine.splitsMade = number;
    if (!allHave(&RankPart::splitsMade))
        return nullptr;
    Communicator* made = nullptr;
    if (color >= 0) {
        const RankPart& first = m_all.of(members.front());
        const auto place = std::ranges::find(members, rank()) - members.begin();
        made = new Communicator({first.pid, first.newFile}, static_cast<int>(place),
                                static_cast<int>(members.size()), deviceBytes);
    }
    mine.splitsSeen = number; // only then may a rank change its terms for the next one
    const bool seen = allHave(&RankPart::splitsSeen);
    return seen && made && made->meet() ? made : nullptr;
}

bool Communicator::finish()
{
    return waitFor([this] { return m_underWay == 0; });
}

void Communicator::abort()
{
    m_isAborted = true;
    m_all.mine().presence = Presence::Aborted;
    for (const std::uintptr_t block : m_deviceBlocks)
        device().memory.free(block);
    m_deviceBlocks.clear();
}

// On one node all ranks do it together.
void Communicator::end()
{
    finish();
    m_all.mine().presence = Presence::Destroyed;
    waitFor([this] {
        return std::all_of(m_all.shared->ranks, m_all.shared->ranks + size(),
                           [](const RankPart& part) { return part.presence >= Presence::Aborted; });
    });
    m_isEnded = true;
    for (const std::uintptr_t block : m_deviceBlocks)
        device().memory.free(block);
    m_deviceBlocks.clear();
}

ncclResult_t Communicator::error()
{
    if (m_all.shared->errorState == 2)
        return ncclInvalidUsage;
    if (!m_isBroken && isSetTo("TRAINYARD_STAND_IN_PEER_LOSS", "error") && aPeerIsGone())
        m_isBroken = true;
    return m_isBroken ? ncclRemoteError : ncclSuccess;
}

const char* Communicator::errorText() const
{
    return m_all.shared->errorState == 2 ? m_all.shared->error : "";
}

bool Communicator::aPeerIsGone() const
{
    return std::ranges::any_of(m_processes, [](int process) {
        pollfd ended{process, POLLIN, 0};
        return process < 0 || ::poll(&ended, 1, 0) == 1;
    });
}

} // namespace trainyard::stand_in
