#include <chrono>
#include <numeric>

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/local_transport.h"
#include "engine/device/cuda/cuda_plugin.h"
#include "engine/nn/tensor_memory.h"
#include "tests/gpu/check/checks.h"
#include "tests/gpu/check/relative_error.h"

namespace trainyard {

namespace {

struct SummedType {
    const char* name;
    at::ScalarType type;
    FloatType floats;
    double bound; ///< for sums over a few ranks, rounded at each
};
constexpr SummedType kSummed[] = {{"float64", at::kDouble, FloatType::Float64, 1e-15},
                                  {"float32", at::kFloat, FloatType::Float32, 3e-7},
                                  {"bfloat16", at::kBFloat16, FloatType::BFloat16, 8e-3},
                                  {"float16", at::kHalf, FloatType::Float16, 1e-3}};
/// Odd, smaller than the ranks' parts, and larger than any buffer of NCCL.
constexpr std::int64_t kSizes[] = {1, 1021, (1 << 22) + 3};

/// What rank `rank` brings: numbers that 16 bits hold exactly.
at::Tensor broughtBy(int rank, std::int64_t count)
{
    return at::arange(count, at::kLong).mul(37 + 2 * rank).remainder(113).sub(56).to(at::kDouble).div(64);
}

FloatSpan spanOf(const at::Tensor& values, FloatType type)
{
    return {values.data_ptr(), static_cast<std::size_t>(values.numel()), type};
}

class CollectiveChecks {
public:
    CollectiveChecks(CheckRank& rank, ProcessGroup& group, CheckReport& report)
        : m_place(rank.device().place)
        , m_group(group)
        , m_me(group.rank().value)
        , m_ranks(group.size().value)
        , m_report(report)
    {
    }

    void all()
    {
        for (const SummedType& one : kSummed) {
            for (const std::int64_t count : kSizes)
                reductions(one, count);
        }
        for (const std::int64_t count : kSizes)
            movements(count);
        keepsTheOrderOfTheStream();
        if (m_ranks > 1)
            circle();
        speeds();
    }

private:
    at::Tensor there(const at::Tensor& values, at::ScalarType type) const
    {
        return values.to(m_place, type, false, true);
    }
    at::Tensor sumOfAll(std::int64_t count) const
    {
        at::Tensor sum = at::zeros({count}, at::kDouble);
        for (int rank = 0; rank < m_ranks; ++rank)
            sum.add_(broughtBy(rank, count));
        return sum;
    }
    at::Tensor largestOfAll(std::int64_t count) const
    {
        at::Tensor largest = broughtBy(0, count);
        for (int rank = 1; rank < m_ranks; ++rank)
            largest = largest.maximum(broughtBy(rank, count));
        return largest;
    }

    void reductions(const SummedType& one, std::int64_t count)
    {
        const auto named = [&](const char* what) {
            return fmt::format("{} {}, {} numbers", what, one.name, count);
        };
        m_report.error(named("all-reduce"), one.bound, [&]() -> Result<double> {
            const at::Tensor values = there(broughtBy(m_me, count), one.type);
            m_group.allReduce(spanOf(values, one.floats));
            return relativeError(values, sumOfAll(count));
        });
        m_report.error(named("largest"), 0, [&]() -> Result<double> {
            const at::Tensor values = there(broughtBy(m_me, count), one.type);
            m_group.allReduce(spanOf(values, one.floats), ReduceOp::Max);
            return relativeError(values, largestOfAll(count));
        });
        m_report.error(named("reduce-scatter"), one.bound, [&]() -> Result<double> {
            const at::Tensor values = there(broughtBy(m_me, count * m_ranks), one.type);
            m_group.reduceScatter(spanOf(values, one.floats));
            return relativeError(values.narrow(0, count * m_me, count),
                                 sumOfAll(count * m_ranks).narrow(0, count * m_me, count));
        });
    }

    void movements(std::int64_t count)
    {
        const auto named = [count](const char* what) { return fmt::format("{}, {} numbers", what, count); };
        m_report.error(named("broadcast from the last rank"), 0, [&]() -> Result<double> {
            const at::Tensor values = there(broughtBy(m_me, count), at::kFloat);
            m_group.broadcast(memoryOf(values), Rank{m_ranks - 1});
            return relativeError(values, broughtBy(m_ranks - 1, count));
        });
        m_report.error(named("all-gather"), 0, [&]() -> Result<double> {
            const at::Tensor values =
                at::zeros({m_ranks, count}, at::TensorOptions().dtype(at::kFloat).device(m_place));
            values[m_me].copy_(broughtBy(m_me, count));
            m_group.allGather(memoryOf(values));
            double largest = 0;
            for (int rank = 0; rank < m_ranks; ++rank)
                largest = std::max(largest, relativeError(values[rank], broughtBy(rank, count)));
            return largest;
        });
    }

    /// The sum is of what the current stream had computed by the call, and what comes after the wait sees it.
    void keepsTheOrderOfTheStream()
    {
        m_report.error("order of the stream, 50 rounds", 0, [&]() -> Result<double> {
            at::Tensor values = at::zeros({1 << 24}, at::TensorOptions().dtype(at::kFloat).device(m_place));
            for (int round = 1; round <= 50; ++round) {
                values.add_(1);
                m_group.allReduce(numbersOf(values));
                values.div_(m_ranks);
            }
            return std::max(std::abs(values.min().item<double>() - 50),
                            std::abs(values.max().item<double>() - 50));
        });
    }

    /// Each rank hears from the one before it, as ring attention does.
    void circle()
    {
        m_report.error("shift in a circle", 0, [&]() -> Result<double> {
            constexpr std::int64_t kCount = 100003;
            const at::Tensor out = there(broughtBy(m_me, kCount), at::kFloat);
            const at::Tensor in = at::zeros_like(out);
            m_group.shiftAsync(memoryOf(out), memoryOf(in)).wait();
            return relativeError(in, broughtBy((m_me + m_ranks - 1) % m_ranks, kCount));
        });
    }

    /// Of an all-reduce, as nccl-tests counts: bytes by time, times 2 (n - 1) / n.
    void speeds()
    {
        for (const std::int64_t mebibytes : {1, 64}) {
            const at::Tensor values =
                at::zeros({mebibytes << 18}, at::TensorOptions().dtype(at::kFloat).device(m_place));
            const auto once = [&] {
                m_group.allReduce(numbersOf(values));
                values[0].item<float>();
            };
            once();
            const auto began = std::chrono::steady_clock::now();
            constexpr int kTimes = 5;
            for (int time = 0; time < kTimes; ++time)
                once();
            const double seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / kTimes;
            m_report.note(fmt::format("all-reduce of {} MiB", mebibytes),
                          fmt::format("{:.3g} ms, {:.3g} GB/s", seconds * 1e3,
                                      double(mebibytes << 20) / seconds * 2e-9 * (m_ranks - 1) / m_ranks));
        }
    }

    const c10::Device m_place;
    ProcessGroup& m_group;
    const int m_me;
    const int m_ranks;
    CheckReport& m_report;
};

/// One from each rank to the next in pairs, as stages send to each other.
void checkMessages(CheckRank& rank, CheckReport& report)
{
    const Rank me = rank.world().rank();
    GroupDescription pair{.number = 100, .members = {Rank{0}, Rank{1}}};
    if (me.value > 1)
        return;
    const auto group = rank.maker().make(pair);
    report.error("messages to the next rank", 0, [&]() -> Result<double> {
        double largest = 0;
        for (const std::int64_t count : kSizes) {
            const at::Tensor values = broughtBy(me.value, count).to(rank.device().place, at::kFloat);
            if (me.value == 0)
                group->send(memoryOf(values), Rank{1});
            else
                group->receive(memoryOf(values), Rank{0});
            largest = std::max(largest, relativeError(values, broughtBy(0, count)));
        }
        return largest;
    });
}

/// NCCL among the ranks of a group of one, which the engine never asks.
std::unique_ptr<ProcessGroup> groupOfOne(CheckRank& rank, CollectiveWatchdog& watchdog)
{
    auto group = std::make_unique<ProcessGroup>(
        ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, nullptr, 0});
    if (const GpuPlugin* plugin = rank.plugin()) {
        const CudaPlugin& functions = plugin->functions();
        group->attachDevice(std::unique_ptr<DeviceTransport>(functions.makeTransport(
                                functions.makeGroupId(), 0, 1, DeviceTraffic::Collectives)),
                            watchdog);
    }
    return group;
}

} // namespace

void checkCollectives(CheckRank& rank, CheckReport& report)
{
    const int ranks = rank.world().size().value;
    report.beginGroup(fmt::format("collectives of {}", ranks));
    const Bytes before = rank.freeMemory();
    CollectiveWatchdog watchdog{std::chrono::minutes(1),
                                {[](const std::string& what) { fmt::print(stderr, "{}\n", what); },
                                 [] { std::_Exit(exitStatus(ErrorKind::Unreachable)); }}};
    const auto group = ranks == 1 ? groupOfOne(rank, watchdog) : rank.maker().makeWorld();
    CollectiveChecks(rank, *group, report).all();
    if (ranks > 1)
        checkMessages(rank, report);
    if (rank.plugin())
        report.note("memory that the communicators took",
                    formatBytes(before - std::min(before, rank.freeMemory())));
}

} // namespace trainyard
