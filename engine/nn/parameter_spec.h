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

/// One logical tensor of a model: what checkpoints, LAMB and reports call by name.
struct ParameterSpec {
    std::string name; ///< Hugging Face's, e.g. "bert.encoder.layer.0.attention.self.query.weight"
    std::vector<std::int64_t> shape;
    Initialization initialization = Initialization::Normal;
    bool decays = true; ///< weight decay applies; false for biases and layer norms
    /// Lies directly behind the previous parameter and is multiplied together with it: both are rows of one
    /// matrix (query, key and value). Shapes agree in every dimension but the first.
    bool stackedOnPrevious = false;
};

std::int64_t elementCount(const std::vector<std::int64_t>& shape);

} // namespace trainyard
