#include "tests/device/stand_in/rank/scenario.h"

#include <cstdlib>
#include <map>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <fmt/format.h>

#include "engine/device/cuda/cuda_plugin.h"
#include "engine/memory/memory_scope.h"
#include "engine/nn/tensor_memory.h"
#include "engine/optim/update_elements.h"
#include "engine/worker/rank_log.h"

namespace trainyard {

namespace {

/// 0, 1, 2, ... times `factor`, small enough to be exact in every type.
at::Tensor numbers(std::int64_t count, at::ScalarType type, int factor = 1)
{
    return (at::arange(count, at::kFloat).remainder(16) * factor).to(type);
}

FloatSpan spanOf(const at::Tensor& values)
{
    const FloatType type = values.scalar_type() == at::kDouble     ? FloatType::Float64
                           : values.scalar_type() == at::kBFloat16 ? FloatType::BFloat16
                           : values.scalar_type() == at::kHalf     ? FloatType::Float16
                                                                   : FloatType::Float32;
    return {values.mutable_data_ptr(), static_cast<std::size_t>(values.numel()), type};
}

void expectEqual(const at::Tensor& found, const at::Tensor& expected, const std::string& what)
{
    expect(found.cpu().equal(expected), what);
}

void collectives(const Scenario& s)
{
    const int ranks = s.size();
    const int sum = ranks * (ranks + 1) / 2; // of the factors rank + 1
    const std::int64_t count = 12'000;
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
        const std::string of = fmt::format(" of {}", c10::toString(type));
        const at::Tensor values = numbers(count, type, s.rank() + 1).to(s.onDevice(type));
        s.world.allReduce(spanOf(values));
        expectEqual(values, numbers(count, type, sum), "all-reduce" + of);
        values.copy_(numbers(count, type, s.rank() + 1));
        s.world.allReduce(spanOf(values), ReduceOp::Max);
        expectEqual(values, numbers(count, type, ranks), "all-reduce, maximum" + of);
        values.copy_(numbers(count, type, s.rank() + 1));
        s.world.reduceScatter(spanOf(values));
        const std::int64_t part = count / ranks;
        expectEqual(values.narrow(0, s.rank() * part, part),
                    numbers(count, type, sum).narrow(0, s.rank() * part, part), "reduce-scatter" + of);
    }
    for (int root = 0; root < ranks; ++root) {
        const at::Tensor values = numbers(count, at::kFloat, s.rank() + 1).to(s.onDevice());
        s.world.broadcast(memoryOf(values), Rank{root});
        expectEqual(values, numbers(count, at::kFloat, root + 1), "broadcast");
    }
    const at::Tensor all = at::zeros({ranks, 100}, s.onDevice());
    all[s.rank()].copy_(numbers(100, at::kFloat, s.rank() + 1));
    s.world.allGather(memoryOf(all));
    for (int rank = 0; rank < ranks; ++rank)
        expectEqual(all[rank], numbers(100, at::kFloat, rank + 1), "all-gather");
}

/// A group of its own for one direction between two neighbours, as links of a pipeline are.
std::unique_ptr<ProcessGroup> link(const Scenario& s, int from, int to)
{
    GroupDescription description{.number = static_cast<std::uint32_t>(100 + from),
                                 .members = {Rank{from}, Rank{to}}};
    description.traffic = DeviceTraffic::Messages;
    return s.session.maker().make(description);
}

// Messages of some MB, which the sender overwrites and frees at once.
void messages(const Scenario& s)
{
    constexpr std::int64_t kCount = 1 << 20;
    std::unique_ptr<ProcessGroup> in, out;
    for (int from = 0; from + 1 < s.size(); ++from) {
        if (from == s.rank())
            out = link(s, from, from + 1);
        if (from + 1 == s.rank())
            in = link(s, from, from + 1);
    }
    for (int round = 1; round <= 10; ++round) {
        at::Tensor values = numbers(kCount, at::kFloat, round).to(s.onDevice());
        if (in) {
            values.fill_(0);
            in->receive(memoryOf(values), Rank{0});
            expectEqual(values, numbers(kCount, at::kFloat, round), "message");
        }
        if (out)
            out->send(memoryOf(values), Rank{1});
        values.fill_(-1);
    }
}

void ring(const Scenario& s)
{
    GroupDescription description{.number = 7, .members = {}};
    for (int rank = 0; rank < s.size(); ++rank)
        description.members.push_back(Rank{rank});
    description.traffic = DeviceTraffic::Ring;
    const auto group = s.session.maker().make(description);
    const int previous = (s.rank() + s.size() - 1) % s.size();
    for (int round = 1; round <= 10; ++round) {
        const at::Tensor out = numbers(1 << 18, at::kFloat, s.rank() + round).to(s.onDevice());
        const at::Tensor in = at::zeros({1 << 18}, s.onDevice());
        group->shiftAsync(memoryOf(out), memoryOf(in)).wait();
        expectEqual(in, numbers(1 << 18, at::kFloat, previous + round), "shift");
    }
}

// What is computed before a collective is in it, and what is computed after its wait sees it; memory that is
// freed then is handed out again at once.
void streamOrder(const Scenario& s)
{
    for (int round = 1; round <= 40; ++round) {
        const at::Tensor values = at::full({4096}, round, s.onDevice());
        Work work = s.world.allReduceAsync(spanOf(values));
        const at::Tensor beside = at::full({4096}, -round, s.onDevice());
        work.wait();
        const at::Tensor copy = values.clone();
        expectEqual(copy, at::full({4096}, round * s.size(), at::kFloat), "sum of what was computed before");
        expectEqual(beside, at::full({4096}, -round, at::kFloat), "values beside a collective");
    }
}

// As the processor's.
void kernels(const Scenario& s)
{
    const std::vector<float> start{0.5f, -0.25f, 3.0f};
    const auto device = [&](const std::vector<float>& values) { return at::tensor(values).to(s.onDevice()); };
    const at::Tensor weight = device(start), average = device({0, 0, 0}), square = device({0, 0, 0});
    const at::Tensor gradient = device({1.0f, -2.0f, 0.125f});
    const auto pointer = [](const at::Tensor& values) { return values.mutable_data_ptr<float>(); };
    const AdamWCoefficients<float> c{1, 0.1f, 0.999f, 0.001f, 0.01f, 1, 1e-8f, 0.99f};
    const UpdatePasses<float>& passes = s.session.device().updates->floats();
    passes.adamW({pointer(weight), pointer(average), pointer(square), pointer(gradient)}, nullptr, 3, c);
    const at::Tensor found = weight.cpu(), gradients = gradient.cpu();
    for (int i = 0; i < 3; ++i) {
        float m = 0;
        float v = 0;
        const float expected =
            adamWElement(start[static_cast<std::size_t>(i)], m, v, gradients[i].item<float>(), c);
        expect(found[i].item<float>() == expected, "AdamW");
    }
}

std::int64_t allocatorsBytes()
{
    return c10::getDeviceAllocator(c10::DeviceType::CUDA)->getDeviceStats(0).allocated_bytes[0].current;
}

std::int64_t counted(const Scenario& s, MemoryCategory category)
{
    return static_cast<std::int64_t>(s.session.memory().current().bytes[static_cast<std::size_t>(category)]);
}

std::int64_t countedTensors(const Scenario& s)
{
    return static_cast<std::int64_t>(s.session.memory().current().total) -
           counted(s, MemoryCategory::Communication);
}

// The ledger and LibTorch's allocator count the same blocks, by category and in all.
void accounting(const Scenario& s)
{
    at::zeros({1}, s.onDevice()); // LibTorch's allocator knows the device from now on
    const std::int64_t before = allocatorsBytes();
    const std::int64_t uncounted = before - countedTensors(s);
    {
        const MemoryScope scope(MemoryCategory::Weights);
        std::vector<at::Tensor> weights;
        for (int i = 1; i <= 20; ++i)
            weights.push_back(at::empty({i * 1000}, s.onDevice()));
        const MemoryScope inner(MemoryCategory::Activations);
        const at::Tensor activation = at::empty({3'000'000}, s.onDevice());
        expect(counted(s, MemoryCategory::Activations) >= 12'000'000, "activations are counted");
        weights.resize(10);
        expect(allocatorsBytes() - uncounted == countedTensors(s), "ledger and allocator agree");
        s.world.allReduce(spanOf(activation));
    }
    expect(allocatorsBytes() == before, "all tensors are freed");
    expect(counted(s, MemoryCategory::Weights) == 0, "freed weights are not counted");
    expect(counted(s, MemoryCategory::Activations) == 0, "freed activations are not counted");
}

std::int64_t freeMemory(const Scenario& s)
{
    std::uint64_t free = 0;
    std::uint64_t total = 0;
    expect(s.plugin.functions().deviceMemory(0, &free, &total), "the device responds");
    return static_cast<std::int64_t>(free);
}

// What a communicator takes of the device is in the ledger, and one for messages takes less.
void communicators(const Scenario& s)
{
    at::zeros({1}, s.onDevice()); // LibTorch's allocator has a block from now on
    expect(counted(s, MemoryCategory::Communication) > 0, "the world's communicator is counted");
    const std::int64_t ofWorld = counted(s, MemoryCategory::Communication);
    const std::int64_t before = freeMemory(s);
    const auto pair = link(s, 0, 1);
    const std::int64_t ofPair = counted(s, MemoryCategory::Communication) - ofWorld;
    expect(ofPair == before - freeMemory(s), "a link's communicator is counted");
    expect(ofPair < ofWorld, "a link's communicator is small");
}

/// A run's rhythm, for faults: 60 rounds, after each of which the host waits for the device.
void rounds(const Scenario& s)
{
    const at::Tensor values = at::full({1000}, 1.0, s.onDevice());
    for (int round = 1; round <= 60; ++round) {
        values.fill_(1);
        s.world.allReduce(spanOf(values));
        expectEqual(values, at::full({1000}, s.size(), at::kFloat), "round");
    }
}

/// Rank 1 does not receive what rank 0 sends.
void unheard(const Scenario& s)
{
    const auto pair = link(s, 0, 1);
    const at::Tensor values = at::full({1000}, 1.0, s.onDevice());
    if (s.rank() == 0)
        pair->send(memoryOf(values), Rank{1});
}

/// Rank 1 calls two collectives in the other order.
void disorder(const Scenario& s)
{
    const at::Tensor values = at::full({1000}, 1.0, s.onDevice());
    if (s.rank() == 1)
        s.world.broadcast(memoryOf(values));
    s.world.allReduce(spanOf(values));
    if (s.rank() != 1)
        s.world.broadcast(memoryOf(values));
    values.cpu();
}

const std::map<std::string, void (*)(const Scenario&)> kScenarios{
    {"collectives", collectives},     {"messages", messages}, {"ring", ring},
    {"stream-order", streamOrder},    {"kernels", kernels},   {"accounting", accounting},
    {"communicators", communicators}, {"rounds", rounds},     {"unheard", unheard},
    {"disorder", disorder},
};

} // namespace

void expect(bool holds, const std::string& what)
{
    if (holds)
        return;
    logLine("WRONG: " + what);
    std::_Exit(1);
}

bool play(const std::string& name, const Scenario& scenario)
{
    const auto found = kScenarios.find(name);
    if (found == kScenarios.end())
        return false;
    found->second(scenario);
    return true;
}

} // namespace trainyard
