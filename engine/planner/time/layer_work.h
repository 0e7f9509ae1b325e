#pragma once

#include <vector>

#include "engine/planner/memory_model.h"
#include "engine/planner/time/product_time.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What one rank does in a forward or a backward pass over a micro-batch, apart from gathering weights.
struct Work {
    std::vector<Product> products;
    double traffic = 0;    ///< bytes that elementwise operations read and write
    double kernels = 0;    ///< launched on the device
    int collectives = 0;   ///< among the tensor-parallel ranks
    double reduced = 0;    ///< bytes of each
    double ringSent = 0;   ///< bytes that go round among the context-parallel ranks
    double ringRounds = 0; ///< messages of them
};

struct LayerWork {
    Work forward;
    Work backward;      ///< without recomputation
    Work attentionCore; ///< the part of the forward pass that selective recomputation repeats
};

/// Of one transformer layer. Products: Korthikanti et al. (arXiv:2205.05198), appendix A; two of the same
/// size for each in the backward pass. Traffic, in elements per token and hidden unit, each read and each
/// write counted: two norms 4, two sums with dropout 6 and a mask of a byte each, the same again for what is
/// copied between them; heads brought together and apart 6; activation 2 i / h. Scores: softmax 2, dropout 2
/// and a mask. Backward: half as much again, and the sum of weight gradients. `kernels`: of the forward pass.
LayerWork layerWork(const RunSpec& spec, const SequenceShape& shape, int kernels);

/// Embeddings are looked up in the same time as a norm takes, and counted with the first layer's kernels.
/// Head: transform (BERT), decoder and its loss, 24 bytes per logit (float32: logits, softmax, loss,
/// gradient).
struct HeadWork {
    Work forward;
    Work backward;
};
HeadWork headWork(const RunSpec& spec, const SequenceShape& shape);

} // namespace trainyard
