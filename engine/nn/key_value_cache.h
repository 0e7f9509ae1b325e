#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace trainyard {

/// Of one sequence [1, A, tokens, D]; keys are turned by their positions where the model does so.
struct KeysAndValues {
    at::Tensor keys;
    at::Tensor values;
};

/// The keys and values of the tokens that a decoder has read, layer by layer, so that a pass over the next
/// tokens need not compute them again. Has memory for a layer of a sequence from its first tokens on: 2 H
/// numbers for each token of the capacity. One thread.
class KeyValueCache {
public:
    /// `capacities`: the most tokens of each sequence.
    KeyValueCache(int layers, std::vector<std::int64_t> capacities);

    /// Adds those of the sequence's next tokens and returns all of the layer: views, good until the next
    /// call. Requires that they fit.
    KeysAndValues append(int layer, std::size_t sequence, const KeysAndValues& next);

private:
    struct Entry {
        KeysAndValues all; ///< with the room for later tokens; undefined while there are none
        std::int64_t length = 0;
    };

    std::size_t m_layers;
    std::vector<std::int64_t> m_capacities;
    std::vector<Entry> m_entries; // by sequence, then by layer
};

} // namespace trainyard
