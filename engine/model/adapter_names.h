#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Tensors of the low-rank adapter of a product, as PEFT names them; complete with ".weight".
struct AdapterNames {
    std::string down; ///< A [rank, in]
    std::string up;   ///< B [out, rank]
};

inline AdapterNames adapterNames(const std::string& product)
{
    return {product + ".lora_A.weight", product + ".lora_B.weight"};
}

inline bool isOfAdapter(std::string_view parameter)
{
    return parameter.ends_with(".lora_A.weight") || parameter.ends_with(".lora_B.weight");
}

} // namespace trainyard
