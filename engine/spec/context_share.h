#pragma once

namespace trainyard {

/// Tokens of each sequence that one context-parallel rank has: of an encoder an equal share; under a causal
/// mask two of 2 `ranks` equal chunks, one from each end. Where chunks cannot be equal, the first ones have
/// one token more. engine/nn/sequence_slice.h says which tokens these are.
int tokensOfContextRank(int sequenceLength, int rank, int ranks, bool causal);

} // namespace trainyard
