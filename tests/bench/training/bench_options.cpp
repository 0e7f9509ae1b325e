#include "tests/bench/training/bench_options.h"

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "engine/spec/names.h"
#include "engine/spec/presets.h"

namespace trainyard {

namespace {

template <typename Enum>
CLI::IsMember oneOf()
{
    std::vector<std::string> names(kEnumNames<Enum>.begin(), kEnumNames<Enum>.end());
    return CLI::IsMember(std::move(names));
}

std::vector<std::string> modelNames()
{
    std::vector<std::string> names = modelPresetNames();
    names.insert(names.end(), {"a", "b"});
    return names;
}

void addModelOptions(CLI::App& app, BenchOptions& options)
{
    app.add_option("--model", options.model, "A model preset, or a or b")
        ->check(CLI::IsMember(modelNames()))
        ->capture_default_str();
    app.add_option("--compute", options.compute, "Number type of products")->check(oneOf<ComputeType>());
    app.add_option("--optimizer", options.optimizer)->check(oneOf<OptimizerKind>());
    app.add_option("--length", options.length, "Tokens of a row; default 128, of a decoder all its positions")
        ->check(CLI::Range(2, 1 << 20));
    app.add_option("--predictions", options.predictions,
                   "Masked positions of a row; default 20 of 128 tokens, 80 of 512")
        ->check(CLI::PositiveNumber);
    app.add_option("--dropout", options.dropout, "Of hidden states")->check(CLI::Range(0.0, 0.9));
    app.add_option("--attention-dropout", options.attentionDropout, "Of probabilities; default as --dropout")
        ->check(CLI::Range(0.0, 0.9));
}

void addStepOptions(CLI::App& app, BenchOptions& options)
{
    app.add_option("--micro", options.micro, "Sequences of a micro-batch")->check(CLI::PositiveNumber);
    app.add_option("--accumulation", options.accumulation, "Micro-batches of a step and rank")
        ->check(CLI::PositiveNumber);
    app.add_option("--steps", options.steps)->check(CLI::Range(2, 100000));
    app.add_option("--skip", options.skipped, "First steps that do not count")->check(CLI::Range(1, 99999));
    app.add_flag("!--no-checkpoint", options.savesCheckpoint, "Leave no checkpoint at the end");
    app.add_option("--zero-stage", options.zeroStage)->check(CLI::Range(0, 3));
    app.add_option("--recompute", options.recompute)->check(oneOf<RecomputeKind>());
    app.add_flag("--offload-activations", options.offloadsActivations);
    app.add_flag("--offload-optimizer", options.offloadsOptimizer);
    app.add_flag("--offload-parameters", options.offloadsParameters);
}

void addMachineOptions(CLI::App& app, BenchOptions& options)
{
    app.add_option("--device", options.device)->check(oneOf<DeviceKind>());
    app.add_option("--threads", options.threads, "Of each rank; default: the cores, shared by the ranks")
        ->check(CLI::PositiveNumber);
    app.add_option("--peak-tflops", options.peakTflops, "Dense, of the compute type, of one device")
        ->check(CLI::PositiveNumber);
    app.add_option("--json", options.json, "File for all figures");
    app.add_option("--profile", options.profile, "File for a trace of the last three steps");
}

} // namespace

BenchOptions readBenchOptions(int argc, char** argv)
{
    BenchOptions options;
    CLI::App app("Time of a training step");
    addModelOptions(app, options);
    addStepOptions(app, options);
    addMachineOptions(app, options);
    try {
        app.parse(argc, argv);
        if (options.skipped >= options.lastCounted())
            throw CLI::ValidationError("--skip", "leaves no step that counts");
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    if (options.attentionDropout < 0)
        options.attentionDropout = options.dropout;
    return options;
}

} // namespace trainyard
