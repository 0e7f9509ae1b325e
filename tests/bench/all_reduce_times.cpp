// Times of summing float32 over the ranks of one host, by Trainyard's transport and by MPI_Allreduce, in
// turns. One line of JSON per size, from rank 0: seconds per call of each turn. bench_all_reduce runs it.
//
//     mpirun -np N all_reduce_times [--largest BYTES] [--turns 7]

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include "engine/base/check.h"
#include "engine/base/shared_arena.h"
#include "engine/comm/mpi_outbox.h"
#include "engine/comm/mpi_transport.h"

using namespace trainyard;

namespace {

constexpr std::size_t kSmallest = std::size_t{4} << 10;
constexpr double kBytesPerTurn = 2.5e8;

struct Free {
    void operator()(float* memory) const { std::free(memory); }
};
using Numbers = std::unique_ptr<float, Free>;

/// Page-aligned, as large tensors are.
Numbers makeNumbers(std::size_t bytes)
{
    Numbers numbers(static_cast<float*>(std::aligned_alloc(4096, bytes)));
    std::fill_n(numbers.get(), bytes / sizeof(float), 0.0f);
    return numbers;
}

template <typename Call>
double secondsPerCall(int calls, Call call)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i)
        call();
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / calls;
}

void measure(MpiTransport& transport, std::span<float> gradients, int turns)
{
    const std::size_t bytes = gradients.size_bytes();
    const Numbers other = makeNumbers(bytes);
    const std::span elsewhere(other.get(), gradients.size());
    const int calls = std::clamp(static_cast<int>(kBytesPerTurn / static_cast<double>(bytes)), 2, 2000);
    const std::function<void()> ways[] = {[&] { transport.allReduce(gradients, ReduceOp::Sum); },
                                          [&] { transport.allReduce(elsewhere, ReduceOp::Sum); },
                                          [&] {
                                              MPI_Allreduce(MPI_IN_PLACE, other.get(),
                                                            static_cast<int>(gradients.size()), MPI_FLOAT,
                                                            MPI_SUM, MPI_COMM_WORLD);
                                          }};
    std::array<std::vector<double>, std::size(ways)> seconds;
    for (int turn = 0; turn <= turns; ++turn) { // the first one warms up
        for (std::size_t way = 0; way < std::size(ways); ++way) {
            const double time = secondsPerCall(calls, ways[way]);
            if (turn > 0)
                seconds[way].push_back(time);
        }
    }
    if (transport.rank().value == 0)
        fmt::print(
            "{{\"bytes\": {}, \"trainyard\": [{:.9f}], \"copied\": [{:.9f}], \"openmpi\": [{:.9f}]}}\n",
            bytes, fmt::join(seconds[0], ", "), fmt::join(seconds[1], ", "), fmt::join(seconds[2], ", "));
}

} // namespace

int main(int argc, char** argv)
{
    std::size_t largest = std::size_t{256} << 20;
    int turns = 7;
    CLI::App app("Times of an all-reduce");
    app.add_option("--largest", largest);
    app.add_option("--turns", turns);
    CLI11_PARSE(app, argc, argv);
    MPI_Init(&argc, &argv);
    {
        const auto arena = SharedArena::create(2 * largest);
        TRAINYARD_CHECK(arena != nullptr);
        auto* const gradients = static_cast<float*>(arena->allocate(largest));
        MpiTransport transport(MPI_COMM_WORLD, std::make_shared<MpiOutbox>(), arena.get());
        for (std::size_t bytes = kSmallest; bytes <= largest; bytes *= 4)
            measure(transport, {gradients, bytes / sizeof(float)}, turns);
    }
    MPI_Finalize();
    return 0;
}
