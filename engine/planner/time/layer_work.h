#pragma once

#include <vector>

#include "engine/planner/layout/shape.h"
#include "engine/planner/time/product_time.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What one rank does in a forward or a backward pass over a micro-batch, apart from gathering weights.
struct Work {
    std::vector<MatrixProduct> products;
    double traffic = 0;  ///< bytes that elementwise operations read and write
    double kernels = 0;  ///< launched on the device
    int collectives = 0; ///< among the tensor-parallel ranks
    double reduced = 0;  ///< bytes of each
    /// Likewise, of what low-rank adapters have between their two products.
    int adapterCollectives = 0;
    double adapterReduced = 0;
    double ringSent = 0;   ///< bytes that go round among the context-parallel ranks
    double ringRounds = 0; ///< messages of them
    double exchanges = 0;  ///< all-to-alls among the ranks that share experts
    double exchanged = 0;  ///< bytes that each of them has for all ranks together
};

/// What work costs by the machine and the program that do it.
struct WorkRules {
    int kernels = 40;        ///< of a layer's forward pass
    double leastElement = 0; ///< bytes that an element of elementwise operations counts at least
};

struct LayerWork {
    Work forward;
    Work backward;      ///< without recomputation
    Work attentionCore; ///< the part of the forward pass that selective recomputation repeats
};

/// Of one transformer layer. Products: Korthikanti et al. (arXiv:2205.05198), appendix A; two of the same
/// size for each in the backward pass. Traffic, in elements per token and hidden unit h, with each read and
/// each write counted:
///     forward   13: two norms 4, two residual sums with dropout 6, masks and copies 3
///               6 for bringing heads apart and together, and what the activation reads and writes
///     backward  12, 8, and half as much again for the activation; weight gradients added to their sum
/// and of the scores 4 forward (softmax, dropout) and 5 backward, with a mask of a byte each. Of what is in
/// the first column sequence parallelism leaves a rank its share; all else is cut with the heads and columns.
/// With experts the products are theirs, of equally many tokens each, and their tokens go there and back;
/// where ranks share experts, the busiest has more than its part of the pairs (expertImbalance()), and all
/// wait for it.
/// Packed sequences attend one after the other, each with kernels of its own.
///
/// Frozen products have the gradient of their input alone. An adapter has two thin products, forward and for
/// each gradient, reads and writes the outputs that it adds to, and launches four kernels.
///
/// Context parallelism (our ring): a sequence is cut into runs, and a decoder skips those behind its own.
/// Sums and maxima are kept as blocks come, 8 passes over the scores forward and 11 backward, which makes the
/// scores again. Keys and values go to each other rank in both passes; their gradients come with them, wide,
/// and one step further home.
LayerWork layerWork(const RunSpec& spec, const SequenceShape& shape, const WorkRules& rules);

/// Forward: tensor-parallel ranks, which have their words alone, add up what they found. Nothing else is
/// counted: looking up is one read and one write of a layer's input.
Work embeddingsWork(const RunSpec& spec, const SequenceShape& shape);

/// Transform (BERT), decoder and its loss, 24 bytes per logit (float32: logits, softmax, loss, gradient);
/// backward, tensor-parallel ranks add up the gradients of the head's input.
struct HeadWork {
    Work forward;
    Work backward;
};
HeadWork headWork(const RunSpec& spec, const SequenceShape& shape);

} // namespace trainyard
