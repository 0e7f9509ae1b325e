#pragma once

#include <cstdint>

#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// Weights and data that any program can make bit for bit, so that losses can be compared; training_peer.py
// does the same. With splitmix64 as mixing function and u(stream, i) = mix(mix(stream) + i):
//     weight i of tensor p   (2 (u(1000003 seed + p, i) >> 40) / 2^24 - 1) 0.02 sqrt(3); biases 0, norms 1
//     and 0 token                  5 + u % (vocabulary - 5) masked positions       those of the smallest u in
//     each row; label u % vocabulary; next sentence u & 1
// Tensors are numbered as PyTorch lists those of the plain module: decoder bias, word, position and type
// embeddings, their norm, then per layer query-key-value, attention output, norm, both feed-forward
// products, norm; pooler, transform, its norm, next-sentence head.

/// Fills the weights of a whole BERT that every rank holds, and the masters of those that this one owns.
void fillFromHash(ParameterStore& parameters, const ModelSpec& model, std::uint64_t seed);

struct BatchShape {
    std::int64_t sequences = 8;
    std::int64_t length = 128;
    std::int64_t predictions = 20;
    std::int64_t vocabulary = 0;
};

/// Of a rank at a step, counted from 0 over all micro-batches.
TokenBatch batchFromHash(const BatchShape& shape, std::uint64_t seed, std::uint64_t step, std::uint64_t rank);

} // namespace trainyard
