#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

enum class Initialization {
    Normal, ///< mean 0, the model's initializer range as standard deviation
    Zero,
    One,
};

/// How tensor parallelism cuts a logical tensor: `dimension` into equal slices, one per rank. A dimension
/// made of several equal blocks (query, key and value in one tensor) is cut block by block: a rank's slice is
/// a piece of each. Sizes that do not divide give the first ranks one more.
struct TensorSplit {
    int dimension = -1; ///< -1: every rank holds the whole tensor
    int blocks = 1;

    bool cuts() const { return dimension >= 0; }
};

/// One logical tensor of a model: what checkpoints, LAMB and reports call by name.
struct ParameterSpec {
    std::string name; ///< Hugging Face's, e.g. "bert.encoder.layer.0.attention.self.query.weight"
    std::vector<std::int64_t> shape;
    Initialization initialization = Initialization::Normal;
    bool decays = true; ///< weight decay applies; false for biases and layer norms
    /// Lies directly behind the previous parameter and is multiplied together with it: both are rows of one
    /// matrix (query, key and value). Shapes agree in every dimension but the first.
    bool stackedOnPrevious = false;
    TensorSplit split{};
    bool isCopy =
        false; ///< a second copy of a tied tensor, on the last pipeline stage: counted and saved by the first
    int part = 0; ///< where in the model: -1 = embeddings, 0 .. L-1 = layers, L = head
};

std::int64_t elementCount(const std::vector<std::int64_t>& shape);

} // namespace trainyard
