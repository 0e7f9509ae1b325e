// Micro-batches without padding against padded ones, on real rows: a model takes every step twice, with the
// same samples, padded and packed in turn. By default NVIDIA's rows of 512 tokens, which lie under
// $TRAINYARD_SHARED/data.
//
//     bench_packing [--data FOLDER] [--model PRESET] [--layers 4] [--compute float32|bfloat16] [--micro 4]
//                   [--steps 12]

#include <algorithm>
#include <ctime>
#include <filesystem>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_groups.h"
#include "engine/comm/threads_transport.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/cpu_math.h"
#include "engine/spec/names.h"
#include "engine/spec/presets.h"
#include "engine/training/data/step_loader.h"
#include "engine/training/replica.h"
#include "engine/training/training_step.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kWarmUpSteps = 4; // not counted: memory and kernels of new sizes are got

struct Options {
    std::string data = referenceShards(512);
    std::string model = "bert-base";
    int layers = 4; // of the model's, to fit into little memory
    std::string compute = "float32";
    int micro = 4;
    int steps = 12;
};

/// Of a folder of shards, with or without a manifest of its own.
Manifest describe(const fs::path& folder)
{
    if (auto manifest = Manifest::load(folder); manifest.ok())
        return *manifest;
    Manifest manifest;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.find("_training_") == std::string::npos)
            continue;
        const FoundShape widths = readShardShape(entry.path()).value();
        manifest.sequenceLength = widths.sequenceLength;
        manifest.maxPredictions = widths.maxPredictions;
        const auto shard =
            ShardReader::open(entry.path(), widths.sequenceLength, widths.maxPredictions).value();
        manifest.shards.push_back({name, shard.rows(), {}, true});
    }
    std::sort(manifest.shards.begin(), manifest.shards.end(),
              [](const ShardEntry& a, const ShardEntry& b) { return a.file < b.file; });
    return manifest;
}

RunSpec specOf(const Options& options, bool packing)
{
    RunSpec spec;
    spec.model = modelPreset(options.model).value();
    spec.model.layers = options.layers;
    spec.batch = {options.micro, options.micro, 1, packing};
    spec.precision.compute = *enumFromName<ComputeType>(options.compute);
    spec.launch.steps = 2 * (kWarmUpSteps + options.steps);
    return spec;
}

double processorSeconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// One of the two ways to make micro-batches of the rows, and what its counted steps took.
class Way {
public:
    Way(const Options& options, const Manifest& manifest, bool packing)
        : m_name(packing ? "packed" : "padded")
        , m_spec(specOf(options, packing))
        , m_memory(AccountingAllocator::install().ledger())
        , m_loader({RowSource::open(options.data, manifest, 256, 16).value(),
                    SampleOrder(manifest.trainingRows(), m_spec.seed)},
                   m_spec, {Rank{0}, WorldSize{1}, 0})
    {
    }

    void step(TrainingStep& training, Step step, bool counts)
    {
        m_memory.resetPeak();
        const double before = processorSeconds();
        const StepOutcome outcome = training.run(step, m_loader.next(), [] { return Requests(); }).value();
        const double seconds = processorSeconds() - before;
        if (!counts)
            return;
        m_seconds += seconds;
        m_tokens += outcome.counts.tokens;
        m_peak = std::max(m_peak, m_memory.peak().bytes[std::size_t(MemoryCategory::Activations)]);
    }

    double seconds() const { return m_seconds; }
    std::int64_t tokens() const { return m_tokens; } ///< not counting padding
    void report(int steps) const
    {
        fmt::print("{}: {:.1f} ms of processor time per step, {:.0f} tokens/s of it, activations {}\n",
                   m_name, m_seconds / steps * 1e3, double(m_tokens) / m_seconds, formatBytes(m_peak));
    }

private:
    const char* m_name;
    const RunSpec m_spec;
    MemoryLedger& m_memory;
    StepLoader m_loader;
    double m_seconds = 0;
    std::int64_t m_tokens = 0;
    Bytes m_peak = 0;
};

void compare(const Options& options, GroupMaker& maker)
{
    const Manifest manifest = describe(options.data);
    const RunSpec spec = specOf(options, false);
    const auto world = maker.makeWorld();
    const ProcessGroups groups = makeProcessGroups(maker, *world, RankGrid::create({}).value());
    const auto replica =
        Replica::create(spec, {manifest.sequenceLength, manifest.maxPredictions}, groups).value();
    PhaseClock clock(nullptr);
    TrainingStep training(spec, {*replica, groups, clock});
    Way padded(options, manifest, false);
    Way packed(options, manifest, true);
    for (int i = 0; i < kWarmUpSteps + options.steps; ++i) {
        padded.step(training, Step{2 * i + 1}, i >= kWarmUpSteps);
        packed.step(training, Step{2 * i + 2}, i >= kWarmUpSteps);
    }
    padded.report(options.steps);
    packed.report(options.steps);
    const int rows = options.steps * options.micro;
    fmt::print("{} layers of {}, {}, {} rows of {} with {:.1f} % padding: padded / packed = {:.2f}\n",
               options.layers, options.model, options.compute, rows, manifest.sequenceLength,
               100 * (1 - double(padded.tokens()) / (double(rows) * manifest.sequenceLength)),
               padded.seconds() / packed.seconds());
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Packed micro-batches against padded ones");
    app.add_option("--data", options.data)->check(CLI::ExistingDirectory);
    app.add_option("--model", options.model)->check(CLI::IsMember(modelPresetNames()));
    app.add_option("--compute", options.compute)->check(CLI::IsMember({"float64", "float32", "bfloat16"}));
    app.add_option("--layers", options.layers)->check(CLI::Range(1, 1000));
    app.add_option("--micro", options.micro)->check(CLI::Range(1, 1024));
    app.add_option("--steps", options.steps)->check(CLI::Range(1, 100000));
    CLI11_PARSE(app, argc, argv);
    configureAllocator();
    AccountingAllocator::install();
    at::set_num_threads(1);
    fmt::print("{}\n", configureCpuMath().text());
    runRanksAsThreads(1, [&](GroupMaker& maker) { compare(options, maker); });
    return 0;
}
