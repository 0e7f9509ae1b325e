#include "engine/parallel/context/ring_attention.h"

#include <memory>
#include <utility>

#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/memory/memory_scope.h"
#include "engine/parallel/context/online_attention.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// One attention over a ring, for its forward and its backward pass.
struct RingPass : torch::CustomClassHolder {
    RingPass(const BlockRing& passedRing, const SharedAttention& passedAttention)
        : ring(passedRing), attention(passedAttention)
    {
    }

    SequenceSlice sliceAfter(int steps) const
    {
        const bool inTwoRuns = attention.causal && !attention.isPacked(); // as sliceFor() cuts
        return SequenceSlice::ofContextRank(attention.length, ring.originAfter(steps), ring.ranks(),
                                            inTwoRuns);
    }

    /// `block` [2, B, A, L, D] goes on, and that of the rank before comes, whose slice may be a token longer.
    BlockTransfer pass(const at::Tensor& block, int steps) const
    {
        std::vector<std::int64_t> shape = block.sizes().vec();
        shape[3] = sliceAfter(steps).size();
        return ring.pass(block, shape);
    }

    const BlockRing ring;
    const SharedAttention attention;
};

at::Tensor blockOf(const at::Tensor& key, const at::Tensor& value)
{
    const MemoryScope scope(MemoryCategory::Communication);
    return at::stack({key, value});
}

/// Calls `use` with every rank's block of keys and values and the steps that it has come, this rank's first;
/// the next one comes meanwhile.
template <typename Use>
void forEachBlock(const RingPass& pass, at::Tensor block, Use use)
{
    for (int step = 0; step < pass.ring.ranks(); ++step) {
        BlockTransfer next;
        // Started before the block is used: the wire works while the processor does.
        if (step + 1 < pass.ring.ranks())
            next = pass.pass(block, step + 1);
        use(block, step);
        block = next.take();
    }
}

struct RingAttentionFunction : torch::autograd::Function<RingAttentionFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const c10::intrusive_ptr<RingPass>& pass)
    {
        // Sums are at least float32, whatever the type of the query: they are rescaled with every block and
        // round with every one.
        OnlineAttention attention(query, pass->sliceAfter(0), pass->attention);
        forEachBlock(*pass, blockOf(key, value), [&](const at::Tensor& block, int step) {
            attention.add(block, pass->sliceAfter(step));
        });
        const at::Tensor output = attention.output()
                                      .to(query.scalar_type())
                                      .transpose(1, 2)
                                      .reshape({-1, query.size(1) * query.size(3)});
        context->save_for_backward({query, key, value, output, attention.logSumExp()});
        context->saved_data["pass"] = c10::IValue::make_capsule(pass);
        return output;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto capsule = context->saved_data["pass"].toCapsule();
        const auto& pass = static_cast<const RingPass&>(*capsule);
        const auto saved = context->get_saved_variables();
        const auto byHeads = [&query = saved[0]](const at::Tensor& values_TH) {
            return values_TH.view({query.size(0), query.size(2), query.size(1), query.size(3)})
                .transpose(1, 2);
        };
        OnlineAttentionGradients attention({saved[0], byHeads(saved[3]), saved[4]},
                                           byHeads(gradients[0].contiguous()), pass.sliceAfter(0),
                                           pass.attention);
        BlockTransfer sums; // gradients of the block at hand, as far as the ranks before have added them
        forEachBlock(pass, blockOf(saved[1], saved[2]), [&](const at::Tensor& block, int step) {
            const at::Tensor sum = attention.add(block, pass.sliceAfter(step));
            // The sum of a block's gradients travels one step behind the block and ends at its owner. Taken
            // after the block was computed with, so that its transfer had that long.
            if (step > 0)
                sum.add_(sums.take());
            sums = pass.pass(sum, step + 1);
        });
        const at::Tensor ofKeyValue = sums.take().to(saved[1].scalar_type());
        return {attention.ofQuery().to(saved[0].scalar_type()), ofKeyValue[0], ofKeyValue[1], at::Tensor()};
    }
};

} // namespace

at::Tensor RingAttention::attend(const at::Tensor& query_BALD, const at::Tensor& key_BALD,
                                 const at::Tensor& value_BALD, const SharedAttention& attention) const
{
    return RingAttentionFunction::apply(query_BALD.contiguous(), key_BALD.contiguous(),
                                        value_BALD.contiguous(),
                                        c10::make_intrusive<RingPass>(m_ring, attention));
}

} // namespace trainyard
