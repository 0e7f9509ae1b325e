#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/tensor_box.h"

namespace trainyard {

enum class Initialization {
    Normal, ///< mean 0, ParameterSpec::deviationScale times the model's initializer range as deviation
    Zero,
    One,
    Uniform, ///< between -1 / sqrt(n) and 1 / sqrt(n), n being the last dimension of the shape
};

/// How tensor parallelism cuts a logical tensor: `dimension` into equal slices, one per rank. A dimension
/// made of several equal blocks (query, key and value in one tensor) is cut block by block: a rank's slice is
/// a piece of each. Sizes that do not divide give the first ranks one more.
struct TensorSplit {
    int dimension = -1; ///< -1: every rank holds the whole tensor
    int blocks = 1;

    bool cuts() const { return dimension >= 0; }
    bool operator==(const TensorSplit&) const = default;
};

/// ParameterSpec::part of the embeddings; layers are 0 .. L-1, and the head is L.
constexpr int kEmbeddingsPart = -1;

/// One logical tensor of a model: what checkpoints, LAMB and reports call by name.
struct ParameterSpec {
    std::string name; ///< Hugging Face's, e.g. "bert.encoder.layer.0.attention.self.query.weight"
    std::vector<std::int64_t> shape; ///< of the whole tensor; weights of products are [out, in]
    Initialization initialization = Initialization::Normal;
    bool decays = true; ///< weight decay applies; false for biases and layer norms
    /// Lies directly behind the previous parameter and is multiplied together with it: both are rows of one
    /// matrix (query, key and value). Shapes agree in every dimension but the first.
    bool stackedOnPrevious = false;
    int part = kEmbeddingsPart; ///< where in the model it lives
    TensorSplit split{};
    double deviationScale = 1.0; ///< Initialization::Normal only
    /// A second copy of a tied tensor, on the last pipeline stage: counted, saved and measured by the first;
    /// both get the sum of both gradients.
    bool isCopy = false;
    /// The first and the last pipeline stage both have it: this one, or the copy.
    bool isTied = false;
    /// Every tensor-parallel rank has the whole tensor and uses it for its share of the heads: the gradient
    /// of each is a part of the sum.
    bool isPartial = false;
    bool isFrozen = false; ///< training does not change it: it has no gradient and no optimizer state
    /// Equal matrices of experts behind each other, which ranks share by the experts
    /// (ParallelLayout::expert).
    bool isOfExperts = false;
};

} // namespace trainyard
