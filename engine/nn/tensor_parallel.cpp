#include "engine/nn/tensor_parallel.h"

#include <cstring>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/base/check.h"
#include "engine/comm/phase_clock.h"
#include "engine/comm/process_group.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool isWide(const at::Tensor& values)
{
    return values.scalar_type() == at::kFloat || values.scalar_type() == at::kDouble;
}

// A contiguous copy that a reduction may overwrite, in float32 at least.
at::Tensor wideCopy(const at::Tensor& values)
{
    if (!isWide(values))
        return values.to(at::kFloat).contiguous();
    return values.contiguous().clone();
}

at::Tensor reduced(const at::Tensor& values, const TensorParallel& parallel)
{
    at::Tensor sum = wideCopy(values);
    const PhaseScope phase(StepPhase::Tensor);
    parallel.group->allReduce(numbersOf(sum));
    return sum.to(values.scalar_type());
}

at::Tensor scattered(const at::Tensor& values, const TensorParallel& parallel)
{
    const IndexRange here = parallel.tokensHere(values.size(0));
    const at::Tensor sum = wideCopy(values);
    const PhaseScope phase(StepPhase::Tensor);
    parallel.group->reduceScatter(numbersOf(sum));
    // A copy: a view of the slice would keep the sum over all tokens in memory for as long.
    return sum.narrow(0, here.begin, here.size()).to(values.scalar_type()).clone();
}

at::Tensor gathered(const at::Tensor& slice, const TensorParallel& parallel)
{
    std::vector<std::int64_t> shape = slice.sizes().vec();
    shape[0] *= parallel.ranks();
    const at::Tensor all = at::empty(shape, slice.options());
    all.narrow(0, parallel.rank() * slice.size(0), slice.size(0)).copy_(slice);
    const PhaseScope phase(StepPhase::Tensor);
    parallel.group->allGather(memoryOf(all));
    return all;
}

at::Tensor sliced(const at::Tensor& tokens, const TensorParallel& parallel)
{
    const IndexRange here = parallel.tokensHere(tokens.size(0));
    return tokens.narrow(0, here.begin, here.size()).contiguous();
}

at::Tensor same(const at::Tensor& values, const TensorParallel&)
{
    // Another tensor than the input, as autograd wants of a function's output.
    return values.view_as(values);
}

using Move = at::Tensor (*)(const at::Tensor&, const TensorParallel&);

/// One way forward, another one for the gradient.
template <Move Forward, Move Backward>
struct Moved : torch::autograd::Function<Moved<Forward, Backward>> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                              const TensorParallel& parallel)
    {
        // As a number: autograd carries values, not structures of ours. The group outlives every pass.
        context->saved_data["group"] = reinterpret_cast<std::int64_t>(parallel.group);
        context->saved_data["sequence"] = parallel.sequence;
        return Forward(input, parallel);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const TensorParallel parallel{reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt()),
                                      context->saved_data["sequence"].toBool()};
        return {Backward(gradients[0], parallel), at::Tensor()};
    }
};

} // namespace

int TensorParallel::rank() const
{
    return group ? group->rank().value : 0;
}

int TensorParallel::ranks() const
{
    return group ? group->size().value : 1;
}

IndexRange TensorParallel::tokensHere(std::int64_t tokens) const
{
    if (!slicesTokens())
        return {0, tokens};
    TRAINYARD_CHECK(tokens % ranks() == 0);
    return evenShare(tokens, rank(), ranks());
}

at::Tensor enterCut(const at::Tensor& input, const TensorParallel& parallel)
{
    if (!parallel.isOn())
        return input;
    if (parallel.sequence)
        return Moved<gathered, scattered>::apply(input, parallel);
    return Moved<same, reduced>::apply(input, parallel);
}

at::Tensor leaveCut(const at::Tensor& partial, const TensorParallel& parallel)
{
    if (!parallel.isOn())
        return partial;
    if (parallel.sequence)
        return Moved<scattered, gathered>::apply(partial, parallel);
    return Moved<reduced, same>::apply(partial, parallel);
}

at::Tensor gatherTokens(const at::Tensor& slice, const TensorParallel& parallel)
{
    return parallel.slicesTokens() ? Moved<gathered, sliced>::apply(slice, parallel) : slice;
}

void reduceInPlace(at::Tensor& values, const TensorParallel& parallel, bool maximum)
{
    if (!parallel.isOn())
        return;
    const PhaseScope phase(StepPhase::Tensor);
    parallel.group->allReduce(numbersOf(values), maximum ? ReduceOp::Max : ReduceOp::Sum);
}

} // namespace trainyard
