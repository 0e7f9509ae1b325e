#include "engine/spec/lora_targets.h"

#include <algorithm>

namespace trainyard {

namespace {

std::vector<AdaptableProduct> productsOf(ModelFamily family)
{
    if (family == ModelFamily::Gpt)
        return {{"attn.c_attn"}, {"attn.c_proj", false}, {"mlp.c_gate"}, {"mlp.c_fc"}, {"mlp.c_proj", false}};
    return {{"attention.self.query"}, {"attention.self.key"},
            {"attention.self.value"}, {"attention.output.dense", false},
            {"intermediate.gate"},    {"intermediate.dense"},
            {"output.dense", false}};
}

bool isGate(const AdaptableProduct& product)
{
    return product.name == "intermediate.gate" || product.name == "mlp.c_gate";
}

} // namespace

std::vector<AdaptableProduct> adaptableProducts(const ModelSpec& model)
{
    std::vector<AdaptableProduct> products = productsOf(model.family);
    if (model.activation != Activation::Swiglu)
        std::erase_if(products, isGate);
    return products;
}

bool isTarget(std::string_view target, std::string_view product)
{
    if (target.empty() || !product.ends_with(target))
        return false;
    product.remove_suffix(target.size());
    return product.empty() || product.ends_with('.');
}

// "attention.output.dense" is no "output.dense" of a layer named "attention".
bool isProduct(std::string_view name, std::string_view product)
{
    if (!name.ends_with(product))
        return false;
    name.remove_suffix(product.size());
    return name.empty() || (name.ends_with('.') && !name.ends_with("attention."));
}

std::vector<std::string> loraTargets(const ModelSpec& model)
{
    if (!model.lora.targets.empty())
        return model.lora.targets;
    return model.family == ModelFamily::Gpt ? std::vector<std::string>{"c_attn"}
                                            : std::vector<std::string>{"query", "value"};
}

std::vector<AdaptableProduct> adaptedProducts(const ModelSpec& model)
{
    if (!model.lora.isOn())
        return {};
    const std::vector<std::string> targets = loraTargets(model);
    std::vector<AdaptableProduct> products = adaptableProducts(model);
    std::erase_if(products, [&](const AdaptableProduct& product) {
        return std::ranges::none_of(
            targets, [&](const std::string& target) { return isTarget(target, product.name); });
    });
    return products;
}

bool isAdapted(const ModelSpec& model, std::string_view name)
{
    return std::ranges::any_of(adaptedProducts(model), [&](const AdaptableProduct& adapted) {
        return isProduct(name, adapted.name);
    });
}

} // namespace trainyard
