#include "engine/nn/experts/expert_exchange.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/base/check.h"
#include "engine/comm/phase_clock.h"
#include "engine/comm/process_group.h"
#include "engine/nn/experts/expert_parallel.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows that go to each rank of a group, or come from each.
using RowsByRank = std::vector<std::int64_t>;

/// Sums of as many runs of `numbers` as there are ranks.
RowsByRank sumsByRank(c10::ArrayRef<std::int64_t> numbers, std::size_t ranks)
{
    const std::size_t each = numbers.size() / ranks;
    RowsByRank sums;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const auto run = numbers.slice(rank * each, each);
        sums.push_back(std::accumulate(run.begin(), run.end(), std::int64_t{0}));
    }
    return sums;
}

BytesByRank bytesOf(const RowsByRank& rows, std::size_t rowBytes)
{
    BytesByRank bytes;
    for (const std::int64_t count : rows)
        bytes.push_back(static_cast<std::size_t>(count) * rowBytes);
    return bytes;
}

at::Tensor exchanged(ProcessGroup& group, const at::Tensor& rows, const RowsByRank& out, const RowsByRank& in)
{
    const std::int64_t count = std::accumulate(in.begin(), in.end(), std::int64_t{0});
    const std::size_t rowBytes = static_cast<std::size_t>(rows.size(1)) * rows.element_size();
    // Room for a row at least: memory says where the rows are, even if there are none.
    const at::Tensor room = at::empty({std::max<std::int64_t>(count, 1), rows.size(1)}, rows.options());
    const at::Tensor sent = rows.contiguous();
    const PhaseScope phase(StepPhase::Expert);
    group.allToAll(memoryOf(sent), bytesOf(out, rowBytes),
                   memoryOf(room).first(static_cast<std::size_t>(count) * rowBytes), bytesOf(in, rowBytes));
    return room.narrow(0, 0, count);
}

/// Blocks of rows, `counts` [outer][inner] of them, in the order [inner][outer].
at::Tensor transposedBlocks(const at::Tensor& rows, c10::ArrayRef<std::int64_t> counts, std::size_t outer)
{
    const std::size_t inner = counts.size() / outer;
    if (outer == 1 || inner == 1)
        return rows;
    const std::vector<at::Tensor> blocks = rows.split_with_sizes(counts);
    std::vector<at::Tensor> ordered;
    for (std::size_t i = 0; i < inner; ++i) {
        for (std::size_t o = 0; o < outer; ++o)
            ordered.push_back(blocks[o * inner + i]);
    }
    return at::cat(ordered);
}

std::vector<std::int64_t> transposed(c10::ArrayRef<std::int64_t> counts, std::size_t outer)
{
    const std::size_t inner = counts.size() / outer;
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < inner; ++i) {
        for (std::size_t o = 0; o < outer; ++o)
            result.push_back(counts[o * inner + i]);
    }
    return result;
}

/// `sent`: rows for each expert of the layer; `received`: [rank][expert here].
at::Tensor broughtToExperts(const at::Tensor& rows, ProcessGroup& group, c10::ArrayRef<std::int64_t> sent,
                            c10::ArrayRef<std::int64_t> received)
{
    const auto ranks = static_cast<std::size_t>(group.size().value);
    const at::Tensor come = exchanged(group, rows, sumsByRank(sent, ranks), sumsByRank(received, ranks));
    return transposedBlocks(come, received, ranks);
}

at::Tensor broughtBack(const at::Tensor& rows, ProcessGroup& group, c10::ArrayRef<std::int64_t> sent,
                       c10::ArrayRef<std::int64_t> received)
{
    const auto ranks = static_cast<std::size_t>(group.size().value);
    const at::Tensor byRank = transposedBlocks(rows, transposed(received, ranks), received.size() / ranks);
    return exchanged(group, byRank, sumsByRank(received, ranks), sumsByRank(sent, ranks));
}

using Way = at::Tensor (*)(const at::Tensor&, ProcessGroup&, c10::ArrayRef<std::int64_t>,
                           c10::ArrayRef<std::int64_t>);

/// One way forward, the other one for the gradient.
template <Way Forward, Way Backward>
struct Travelled : torch::autograd::Function<Travelled<Forward, Backward>> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, ProcessGroup& group,
                              const std::vector<std::int64_t>& sent,
                              const std::vector<std::int64_t>& received)
    {
        // As a number: autograd carries values, not structures of ours. The group outlives every pass.
        context->saved_data["group"] = reinterpret_cast<std::int64_t>(&group);
        context->saved_data["sent"] = sent;
        context->saved_data["received"] = received;
        return Forward(rows, group, sent, received);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        auto& group = *reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt());
        variable_list result(4);
        result[0] = Backward(gradients[0], group, context->saved_data["sent"].toIntVector(),
                             context->saved_data["received"].toIntVector());
        return result;
    }
};

} // namespace

void ExpertTally::add(int layer, std::span<const std::int64_t> pairs)
{
    std::vector<std::int64_t>& sums = m_pairs[layer];
    sums.resize(pairs.size());
    std::ranges::transform(sums, pairs, sums.begin(), std::plus<>());
}

std::map<int, std::vector<std::int64_t>> ExpertTally::take()
{
    return std::exchange(m_pairs, {});
}

ExpertExchange::ExpertExchange(ProcessGroup& group, std::span<const std::int64_t> counts)
    : m_group(group), m_sent(counts.begin(), counts.end()), m_received(counts.size())
{
    const auto ranks = static_cast<std::size_t>(group.size().value);
    const std::size_t here = counts.size() / ranks;
    TRAINYARD_CHECK(here * ranks == counts.size());
    const BytesByRank each(ranks, here * sizeof(std::int64_t));
    const PhaseScope phase(StepPhase::Expert);
    group.allToAll(std::as_bytes(std::span(m_sent)), each, std::as_writable_bytes(std::span(m_received)),
                   each);
    m_countsHere = sumsByRank(transposed(m_received, ranks), here);
}

at::Tensor ExpertExchange::toExperts(const at::Tensor& rows) const
{
    return Travelled<broughtToExperts, broughtBack>::apply(rows, m_group, m_sent, m_received);
}

at::Tensor ExpertExchange::back(const at::Tensor& rows) const
{
    return Travelled<broughtBack, broughtToExperts>::apply(rows, m_group, m_sent, m_received);
}

} // namespace trainyard
