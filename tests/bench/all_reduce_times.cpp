// Times of summing float32 over the ranks of one host, by Trainyard's transport and by MPI_Allreduce, in
// turns. One line of JSON per size, from rank 0: seconds per call of each turn. bench_all_reduce runs it.
//
//     mpirun -np N all_reduce_times [--largest BYTES] [--turns 7]

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include "engine/comm/mpi_outbox.h"
#include "engine/comm/mpi_transport.h"

using namespace trainyard;

namespace {

constexpr std::size_t kSmallest = std::size_t{4} << 10;
constexpr double kBytesPerTurn = 2.5e8;

/// Page-aligned, as large tensors are.
struct Values {
    explicit Values(std::size_t bytes) : count(bytes / sizeof(float))
    {
        numbers.reset(static_cast<float*>(std::aligned_alloc(4096, bytes)));
        std::fill_n(numbers.get(), count, 0.0f);
    }
    struct Free {
        void operator()(float* memory) const { std::free(memory); }
    };
    std::size_t count;
    std::unique_ptr<float, Free> numbers;
};

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

void measure(MpiTransport& transport, std::size_t bytes, int turns)
{
    Values ours(bytes);
    Values theirs(bytes);
    const int calls = std::clamp(static_cast<int>(kBytesPerTurn / static_cast<double>(bytes)), 2, 2000);
    std::vector<double> trainyard;
    std::vector<double> openmpi;
    for (int turn = 0; turn <= turns; ++turn) {
        trainyard.push_back(secondsPerCall(
            calls, [&] { transport.allReduce(std::span(ours.numbers.get(), ours.count), ReduceOp::Sum); }));
        openmpi.push_back(secondsPerCall(calls, [&] {
            MPI_Allreduce(MPI_IN_PLACE, theirs.numbers.get(), static_cast<int>(theirs.count), MPI_FLOAT,
                          MPI_SUM, MPI_COMM_WORLD);
        }));
    }
    trainyard.erase(trainyard.begin()); // warms up
    openmpi.erase(openmpi.begin());
    if (transport.rank().value == 0)
        fmt::print("{{\"bytes\": {}, \"trainyard\": [{:.9f}], \"openmpi\": [{:.9f}]}}\n", bytes,
                   fmt::join(trainyard, ", "), fmt::join(openmpi, ", "));
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
        MpiTransport transport(MPI_COMM_WORLD, std::make_shared<MpiOutbox>());
        for (std::size_t bytes = kSmallest; bytes <= largest; bytes *= 4)
            measure(transport, bytes, turns);
    }
    MPI_Finalize();
    return 0;
}
