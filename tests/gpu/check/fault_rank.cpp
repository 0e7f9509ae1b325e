#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "engine/comm/collective_watchdog.h"
#include "engine/device/device_choice.h"
#include "engine/device/device_group_maker.h"
#include "engine/device/gpu_plugin.h"
#include "engine/device/host_devices.h"
#include "engine/memory/memory_ledger.h"
#include "engine/nn/tensor_memory.h"
#include "tests/gpu/check/checks.h"
#include "tests/gpu/check/fault_moments.h"
#include "tests/gpu/check/file_transport.h"

namespace trainyard {

namespace {

constexpr int kRounds = 200;
constexpr int kMidRun = 20;

/// Ends the rank that the others lose, at its moment.
class Loss {
public:
    Loss(const std::string& moment, bool isMine) : m_moment(moment), m_isMine(isMine) {}
    void at(const char* moment) const
    {
        if (m_isMine && m_moment == moment)
            ::raise(SIGKILL);
    }

private:
    std::string m_moment;
    bool m_isMine;
};

/// As the worker ends (engine/worker/rank_device.cpp), without MPI.
CollectiveWatchdog::Verdict endOfRank()
{
    return {[](const std::string& what) { fmt::print(stderr, "collective failed: {}\n", what); },
            [] { ::_exit(exitStatus(ErrorKind::Unreachable)); }};
}

void reduceAgainAndAgain(GroupMaker& maker, const Device& device, const Loss& loss)
{
    loss.at(kBeforeInit);
    const auto group = maker.makeWorld();
    loss.at(kBeforeFirst);
    const at::Tensor values = at::ones({1 << 20}, at::TensorOptions().dtype(at::kFloat).device(device.place));
    for (int round = 0; round < kRounds; ++round) {
        if (round == kMidRun)
            loss.at(kMidway);
        group->allReduce(numbersOf(values));
        values.div_(group->size().value);
        if (values[0].item<float>() != 1)
            throw std::runtime_error("the mean of ones is not one");
    }
}

} // namespace

int runFaultRank(const std::vector<std::string>& arguments)
{
    const std::string& folder = arguments[0];
    const Rank rank{std::atoi(arguments[1].c_str())};
    const WorldSize size{std::atoi(arguments[2].c_str())};
    const Loss loss(arguments[3], rank.value == size.value - 1);
    shareFirstGpu(rank.value);
    const auto devices = visibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"), hostDevices());
    const auto plugin = GpuPlugin::open(devices.empty() ? "0" : devices.front().name);
    if (!plugin.ok()) {
        fmt::print(stderr, "{}\n", plugin.error().text());
        return exitStatus(plugin.error().kind);
    }
    FileGroupMaker host(folder, rank, size);
    CollectiveWatchdog watchdog(kFaultDeadline, endOfRank());
    MemoryLedger memory;
    DeviceGroupMaker maker(host, plugin->functions(), watchdog, memory);
    try {
        reduceAgainAndAgain(maker, plugin->device(), loss);
    } catch (const CommunicationError& error) {
        fmt::print(stderr, "{}\n", error.what());
        ::_exit(exitStatus(ErrorKind::Unreachable));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        ::_exit(exitStatus(ErrorKind::Failed));
    }
    return 0;
}

} // namespace trainyard
