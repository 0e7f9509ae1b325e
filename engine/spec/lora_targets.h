#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// A product of every layer that can have an adapter.
struct AdaptableProduct {
    /// The end of its name, Hugging Face's where it has the product: "attention.self.query". The name of the
    /// tensors is that of the layer, a dot, and this.
    std::string_view name;
    /// Tensor parallelism cuts its outputs, else its inputs.
    bool cutsOutputs = true;
    bool isOfAttention = true;
    std::int64_t out = 0; ///< of the whole product
    std::int64_t in = 0;
    int blocks = 1; ///< of equally many outputs, each cut by itself
};

/// Of a layer of this model, in the order of the forward pass.
std::vector<AdaptableProduct> adaptableProducts(const ModelSpec& model);

/// Whether `target` names the product, by PEFT's rule: it is its name, or the end of it behind a dot.
bool isTarget(std::string_view target, std::string_view product);

/// model.lora.targets; where they are empty those of PEFT for the family.
std::vector<std::string> loraTargets(const ModelSpec& model);

/// Whether the complete name of a product, with that of its layer, is one of this product's.
bool isProduct(std::string_view name, std::string_view product);

/// The products that have adapters; none without model.lora.
std::vector<AdaptableProduct> adaptedProducts(const ModelSpec& model);
/// By the product's name, with or without that of its layer.
bool isAdapted(const ModelSpec& model, std::string_view name);

} // namespace trainyard
