// Times of saving and loading the float32 state of model B (2 layers of 768, vocabulary 30528: weights and
// two moments, 467 MB), one line of JSON. bench_checkpoint runs it.
//
//     checkpoint_times FOLDER [--threads 1]

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/slice_snapshot.h"
#include "engine/checkpoint/training_state.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/language_model.h"
#include "engine/optim/optimizer.h"
#include "tests/bench/bench_models.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

template <typename Work>
double secondsOf(Work work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void require(const Status& status)
{
    TRAINYARD_CHECK_MSG(status.ok(), status.ok() ? "" : status.error().text());
}

/// A copy on the disk and not in the page cache: how a file was written decides how fast some disks read it.
fs::path copyOnDisk(const fs::path& folder)
{
    const fs::path copy = folder / "copy";
    fs::copy(folder / startingCheckpoint(folder).value().value().filename(), copy);
    for (const auto& entry : fs::directory_iterator(copy)) {
        require(syncPath(entry.path()));
        const FileDescriptor file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
        ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    }
    return copy;
}

} // namespace

int main(int argc, char** argv)
{
    fs::path folder;
    int threads = 1;
    CLI::App app("Times of a checkpoint");
    app.add_option("folder", folder)->required();
    app.add_option("--threads", threads);
    CLI11_PARSE(app, argc, argv);
    AccountingAllocator::install();
    at::set_num_threads(threads);

    LanguageModel model(benchModel("b"), ComputeType::Float32);
    model.parameters().initialize(1, 0.02);
    const auto optimizer = makeOptimizer(OptimizerSpec(), optimizedTensors(model.parameters()));
    model.parameters().flatGradients().copy_(model.parameters().flatMasters());
    optimizer->step(1e-3, 1.0);
    TrainingState state(model.parameters(), optimizer.get());
    TrainingPosition position;
    position.spec.model = benchModel("b");

    const std::vector<SliceToSave> slices = state.slices({}, {});
    std::size_t bytes = 0;
    for (const SliceToSave& slice : slices)
        bytes += slice.values.bytes.size();
    {
        const SliceSnapshot first(slices);
    } // later ones find its memory, as those of a run do
    const double stall = secondsOf([&] { const SliceSnapshot snapshot(slices); });
    const double save = secondsOf([&] { require(saveCheckpoint(folder, state, position, {})); });
    const fs::path copy = copyOnDisk(folder);
    const double load = secondsOf([&] {
        auto reader = CheckpointReader::open(copy).value();
        require(state.load(reader));
    });
    fmt::print("{{\"program\": \"trainyard\", \"bytes\": {}, \"save\": {:.6f}, \"stall\": {:.6f}, \"load\": "
               "{:.6f}}}\n",
               bytes, save, stall, load);
    return 0;
}
