#pragma once

#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The tensors of a layer, on one rank and for one micro-batch, in bytes.
struct LayerTensors {
    Bytes hidden = 0;     ///< between the cut products; with sequence parallelism of this rank's tokens
    Bytes gathered = 0;   ///< of all tokens, before a cut product
    Bytes heads = 0;      ///< queries, keys, values or outputs of this rank's heads
    Bytes inner = 0;      ///< as wide as the feed-forward layer, this rank's columns
    Bytes innerKept = 0;  ///< what the feed-forward layer keeps of that width
    Bytes scores = 0;     ///< of every query for every key
    Bytes scoresKept = 0; ///< what attention keeps of them; of a ring or a fused kernel one number per query
    Bytes mask = 0;       ///< of the dropout of `hidden`, where it is kept
    Bytes embeddingsMask = 0; ///< the same of the embeddings, which no norm follows
    Bytes statistics = 0;     ///< mean and deviation of every row that a norm has seen
    // Inputs of products that are kept for the gradients of weights: frozen weights have none, but adapters
    // have.
    Bytes inputKept = 0;   ///< of the product of queries, keys and values
    Bytes contextKept = 0; ///< of the one after attention
    Bytes middleKept = 0;  ///< of the one into the feed-forward layer
    Bytes besides = 0;     ///< what norms of outputs, queries and keys and capped scores keep
    Bytes shared = 0;      ///< an input of both branches, of two that would be kept
    Bytes adapters = 0;    ///< what adapters keep besides: between their two products, and behind dropout
};

/// `tokens` of each sequence of a micro-batch lie on this rank.
LayerTensors layerTensors(const RunSpec& spec, Bytes tokens);

/// The factors of a layer's products for the gradients of weights, which a zero-bubble schedule computes
/// later.
Bytes pendingProducts(const RunSpec& spec, Bytes tokens);

/// Bytes of the type in which sums run.
Bytes wideSize(ComputeType type);

} // namespace trainyard
