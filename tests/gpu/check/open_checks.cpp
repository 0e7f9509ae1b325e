#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "engine/device/cuda/cuda_plugin.h"
#include "tests/gpu/check/checks.h"

namespace trainyard {

namespace {

at::TensorOptions floatsOn(const CheckRank& rank)
{
    return at::TensorOptions().dtype(at::kFloat).device(rank.device().place);
}

Status devicesAnswer(const GpuPlugin& plugin, CheckReport& report)
{
    TRAINYARD_TRY(const GpuPlugin::Traits traits, plugin.traits());
    report.note("device", fmt::format("{}, {}, {} multiprocessors", traits.name, formatBytes(traits.memory),
                                      traits.processors));
    report.note("memory", plugin.text());
    return {};
}

Status pinnedMemoryCopies(const CheckRank& rank)
{
    const at::Tensor pinned = at::ones({1 << 20}, at::TensorOptions().dtype(at::kFloat).pinned_memory(true));
    const at::Tensor there = pinned.to(rank.device().place, /*non_blocking=*/true);
    const at::Tensor back = at::empty({1 << 20}, at::TensorOptions().dtype(at::kFloat).pinned_memory(true));
    back.copy_(there.mul(2), /*non_blocking=*/false);
    return back.min().item<float>() == 2 && back.max().item<float>() == 2 ? Status()
                                                                          : failed("the numbers read back differ");
}

} // namespace

void checkOpen(CheckRank& rank, CheckReport& report)
{
    report.beginGroup("open");
    if (const GpuPlugin* plugin = rank.plugin())
        report.holds("the device answers", [&] { return devicesAnswer(*plugin, report); });
    report.holds("a product", [&]() -> Status {
        const at::Tensor ones = at::ones({64, 64}, floatsOn(rank));
        return ones.mm(ones).sum().item<float>() == 64 * 64 * 64 ? Status() : failed("64 ones are not 64");
    });
    if (rank.plugin())
        report.holds("pinned memory", [&] { return pinnedMemoryCopies(rank); });
    report.holds("an allocation that does not fit is refused", [&]() -> Status {
        try {
            at::empty({std::int64_t{1} << 50}, floatsOn(rank));
        } catch (const c10::Error&) {
            return {};
        }
        return failed("an allocation of 4 PiB succeeded");
    });
    report.holds("a product after it", [&]() -> Status {
        return at::ones({8, 8}, floatsOn(rank)).sum().item<float>() == 64 ? Status()
                                                                          : failed("64 ones are not 64");
    });
}

} // namespace trainyard
