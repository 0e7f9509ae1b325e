#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoint/hugging_face/format/architecture.h"

namespace trainyard {

// The engine has the matrices of all experts behind each other in one tensor [E * out, in]; Hugging Face in
// one [E, out, in], and before transformers 5 in a tensor for each.

/// Of a tensor of one expert, or of the router under its old name; nothing for any other.
std::optional<TensorRole> roleOfExpert(std::string_view name, const ModelSpec& model);

/// A tensor of Hugging Face that has rows of a parameter.
struct RowsTensor {
    std::string name;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
};

/// The tensors that a parameter of experts or a router is in such files; none for any other.
std::vector<RowsTensor> separateTensors(std::string_view parameter, const ModelSpec& model);

/// Whether the parameter has the matrices of all experts.
bool isOfExperts(std::string_view parameter, const ModelSpec& model);

/// As Hugging Face shapes the parameter, without transposing it.
std::vector<std::int64_t> huggingFaceShape(std::string_view parameter, std::vector<std::int64_t> shape,
                                           const ModelSpec& model);

} // namespace trainyard
