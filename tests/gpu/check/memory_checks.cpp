#include <algorithm>
#include <cmath>

#include <c10/core/CachingDeviceAllocator.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/planner/memory/memory_model.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/gpu/check/check_training_run.h"
#include "tests/gpu/check/checks.h"

namespace trainyard {

namespace {

constexpr double kLedgerBound = 0.01;
constexpr double kPlanBound = 0.02;
constexpr std::int64_t kWarmSteps =
    2; ///< what they hold beside is theirs alone: the first workspaces, the first buffers

struct MemoryCase {
    const char* name;
    ModelFamily family;
    ComputeType compute;
    double attentionDropout;
    MemorySpec memory = {};
};

const MemoryCase kCases[] = {
    {"bert bfloat16", ModelFamily::Bert, ComputeType::BFloat16, 0.1},
    {"bert bfloat16, fused attention", ModelFamily::Bert, ComputeType::BFloat16, 0.0},
    {"gpt bfloat16, fused attention", ModelFamily::Gpt, ComputeType::BFloat16, 0.0},
    {"bert float32", ModelFamily::Bert, ComputeType::Float32, 0.1},
    {"bert bfloat16, full recomputation",
     ModelFamily::Bert,
     ComputeType::BFloat16,
     0.1,
     {.recompute = RecomputeKind::Full}},
};

/// Some GiB: the allocator's blocks are up to a MiB larger than tensors, which must not count.
RunSpec specOf(const MemoryCase& one, const std::filesystem::path& dataset)
{
    RunSpec spec = tinySpec(dataset, 1, one.compute);
    spec.model.setFamily(one.family);
    spec.model.layers = 6;
    spec.model.hidden = 1024;
    spec.model.heads = 16;
    spec.model.intermediate = 4096;
    spec.model.vocabulary = 8192;
    spec.model.maxPositions = 128;
    spec.model.attentionDropout = one.attentionDropout;
    spec.layout.bucketSize = ParallelLayout{}.bucketSize;
    spec.batch = {32, 32, 1};
    spec.memory = one.memory;
    spec.launch.steps = 5;
    spec.launch.device = DeviceKind::Cuda;
    return spec;
}

struct PeakMemory {
    MemoryByCategory categories{}; ///< of the ledger, at its peak
    double ledger = 0;
    double allocator = 0;
    double reserved = 0;
};

Result<PeakMemory> train(CheckRank& rank, const std::filesystem::path& folder, const RunSpec& spec)
{
    auto* const allocator = c10::getDeviceAllocator(rank.device().place.type());
    const auto restart = [allocator](Step step) {
        if (step.value == kWarmSteps)
            allocator->resetPeakStats(0);
    };
    TRAINYARD_TRY_STATUS(trainOnDevice(rank, folder, spec, {.afterStep = restart}));
    const auto stats = allocator->getDeviceStats(0);
    PeakMemory peak{{}, 0, double(stats.allocated_bytes[0].peak), double(stats.reserved_bytes[0].peak)};
    for (const StepRecord& step : stepsOf(folder)) {
        const RankStats& rankStats = step.ranks.front();
        if (step.step > kWarmSteps && double(rankStats.peakTotal) > peak.ledger) {
            peak.ledger = double(rankStats.peakTotal);
            peak.categories = rankStats.peakMemory;
        }
    }
    return peak;
}

/// "weights 10 MiB, planned 10 MiB; ..."
std::string byCategory(const MemoryByCategory& counted, const MemoryByCategory& planned)
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        if (counted[i] > 0 || planned[i] > 0)
            words.push_back(fmt::format("{} {}, planned {}", nameOf(static_cast<MemoryCategory>(i)),
                                        formatBytes(counted[i]), formatBytes(planned[i])));
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

void checkCase(CheckRank& rank, CheckReport& report, CheckFolder& folder, const MemoryCase& one)
{
    const RunSpec spec = specOf(one, folder.dataset() / nameOf(one.family));
    const SequenceShape shape{128, one.family == ModelFamily::Bert ? 20 : 0};
    Result<PeakMemory> peak{PeakMemory()};
    report.error(fmt::format("{}, ledger against the allocator", one.name), kLedgerBound,
                 [&]() -> Result<double> {
                     peak = train(rank, folder.nextRun(), spec);
                     TRAINYARD_TRY(const PeakMemory found, peak);
                     return std::abs(found.ledger / found.allocator - 1);
                 });
    report.error(fmt::format("{}, plan against the ledger", one.name), kPlanBound, [&]() -> Result<double> {
        TRAINYARD_TRY(const PeakMemory found, peak);
        return std::abs(double(estimateMemory(spec, shape).onDevice()) / found.ledger - 1);
    });
    if (!peak.ok())
        return;
    const MemoryEstimate plan = estimateMemory(spec, shape);
    report.note(fmt::format("{}, peak", one.name),
                fmt::format("{} in the ledger, {} allocated, {} reserved, {} planned",
                            formatBytes(Bytes(peak->ledger)), formatBytes(Bytes(peak->allocator)),
                            formatBytes(Bytes(peak->reserved)), formatBytes(plan.onDevice())));
    report.note(fmt::format("{}, by category", one.name), byCategory(peak->categories, plan.bytes));
}

} // namespace

void checkMemory(CheckRank& rank, CheckReport& report)
{
    report.beginGroup("memory");
    if (!rank.plugin())
        return report.skip("ledger and plan", "an emulated device has the processor's memory");
    CheckFolder folder(rank.world());
    const DatasetShape rows{.rows = 64, .length = 128, .predictions = 20, .vocabulary = 8192, .full = true};
    DatasetShape text = rows;
    text.predictions = 0;
    report.holds("rows to train on", [&]() -> Status {
        TRAINYARD_TRY_STATUS(writeDataset(folder.dataset() / nameOf(ModelFamily::Bert), rows));
        return writeDataset(folder.dataset() / nameOf(ModelFamily::Gpt), text);
    });
    for (const MemoryCase& one : kCases)
        checkCase(rank, report, folder, one);
}

} // namespace trainyard
