#include "tests/support/device/emulated_network.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

#include "engine/base/check.h"
#include "engine/comm/communication_thread.h"
#include "engine/comm/process_group.h"

namespace trainyard {

namespace {

class EmulatedWork final : public DeviceWork {
public:
    void wait() override { done.wait(); }
    bool isDone() override { return done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

    std::shared_future<void> done;
};

class EmulatedTransport final : public DeviceTransport {
public:
    EmulatedTransport(std::shared_ptr<ThreadsMeeting> meeting, Rank rank) : m_ranks(std::move(meeting), rank)
    {
    }

    bool reaches(const void* memory) const override { return memory != nullptr; }
    Pending allReduce(FloatSpan values, ReduceOp op) override
    {
        return run([this, values, op] { m_ranks.allReduce(values, op); });
    }
    Pending broadcast(std::span<std::byte> bytes, Rank root) override
    {
        return run([this, bytes, root] { m_ranks.broadcast(bytes, root); });
    }
    Pending allGather(std::span<std::byte> all) override
    {
        return run([this, all] { m_ranks.allGather(all); });
    }
    Pending reduceScatter(FloatSpan values) override
    {
        return run([this, values] { m_ranks.reduceScatter(values); });
    }
    Pending send(std::span<const std::byte> bytes, Rank to) override
    {
        return run([this, copy = std::vector(bytes.begin(), bytes.end()), to] { m_ranks.send(copy, to); });
    }
    Pending receive(std::span<std::byte> bytes, Rank from) override
    {
        return run([this, bytes, from] { m_ranks.receive(bytes, from); });
    }
    Pending shift(std::span<const std::byte> out, std::span<std::byte> in) override
    {
        return run([this, out, in] { m_ranks.shift(out, in); });
    }
    Pending allToAll(std::span<const std::byte> out, const BytesByRank& outSizes, std::span<std::byte> in,
                     const BytesByRank& inSizes) override
    {
        return run([this, out, outSizes, in, inSizes] { m_ranks.allToAll(out, outSizes, in, inSizes); });
    }

private:
    template <typename Task>
    Pending run(Task task)
    {
        auto work = std::make_shared<EmulatedWork>();
        work->done = m_thread.run(std::move(task)).share();
        return work;
    }

    ThreadsTransport m_ranks;
    CommunicationThread m_thread; // gone before what its tasks use
};

} // namespace

std::shared_ptr<ThreadsMeeting> EmulatedNetwork::meeting(std::uint32_t group, int ranks)
{
    const std::lock_guard lock(m_mutex);
    auto& meeting = m_meetings[group];
    if (!meeting)
        meeting = std::make_shared<ThreadsMeeting>(ranks);
    return meeting;
}

EmulatedGroupMaker::EmulatedGroupMaker(GroupMaker& host, EmulatedNetwork& network)
    : m_host(host)
    , m_network(network)
    , m_watchdog(std::chrono::minutes(5),
                 {[](const std::string& what) { TRAINYARD_CHECK_MSG(false, what); }, [] {}})
{
}

std::unique_ptr<ProcessGroup> EmulatedGroupMaker::make(const GroupDescription& description)
{
    auto group = m_host.make(description);
    if (!description.isOfTraining)
        return group;
    const auto meeting = m_network.meeting(description.number, static_cast<int>(description.members.size()));
    group->attachDevice(std::make_unique<EmulatedTransport>(meeting, group->rank()), m_watchdog);
    return group;
}

} // namespace trainyard
