// Time of one update of model B's 38.9 million parameters in float32 by each optimizer, and of the norm that
// clipping needs, as one JSON object of milliseconds on stdout: {"adamw": [median, fastest], ...}.
// compare_optimizers runs it beside PyTorch's.
//
//     optimizer_times [--threads 1] [--rounds 9]

#include <algorithm>
#include <ctime>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/memory/accounting_allocator.h"
#include "engine/model/model_parameters.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/optim/gradient_norm.h"
#include "engine/optim/optimizer.h"
#include "tests/bench/bench_models.h"

using namespace trainyard;

namespace {

double millisecondsOfProcess()
{
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

template <typename Work>
void report(const char* name, int rounds, const Work& work)
{
    work();
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const double before = millisecondsOfProcess();
        work();
        times.push_back(millisecondsOfProcess() - before);
    }
    std::ranges::sort(times);
    fmt::print("\"{}\": [{:.2f}, {:.2f}]", name, times[times.size() / 2], times.front());
}

} // namespace

int main(int argc, char** argv)
{
    int threads = 1;
    int rounds = 9;
    CLI::App app("Time of optimizer updates");
    app.add_option("--threads", threads);
    app.add_option("--rounds", rounds)->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);

    AccountingAllocator::install();
    at::set_num_threads(threads);
    ParameterStore parameters(modelParameters(benchModel("b")), ComputeType::Float32);
    parameters.initialize(1, 0.02);
    parameters.flatGradients().copy_(parameters.flatMasters()).mul_(0.05);
    const auto tensors = optimizedTensors(parameters);
    fmt::print("{{");
    report("norm", rounds, [&] { globalGradientNorm(tensors); });
    for (const auto& [kind, name] :
         {std::pair{OptimizerKind::AdamW, "adamw"}, std::pair{OptimizerKind::Lamb, "lamb"},
          std::pair{OptimizerKind::Lans, "lans"}, std::pair{OptimizerKind::Sgd, "sgd"}}) {
        OptimizerSpec spec;
        spec.kind = kind;
        const auto optimizer = makeOptimizer(spec, tensors);
        fmt::print(", ");
        report(name, rounds, [&] { optimizer->step(1e-4, 1.0); });
    }
    fmt::print("}}\n");
    return 0;
}
