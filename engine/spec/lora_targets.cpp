#include "engine/spec/lora_targets.h"

#include <algorithm>

#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

void addAttention(std::vector<AdaptableProduct>& products, const FamilyNames& names, const ModelSpec& model)
{
    const std::int64_t hidden = model.hidden;
    if (names.key.empty()) {
        products.push_back(
            {names.query, true, true, model.attentionWidth(), hidden, names.isHeadByHead ? 1 : 3});
    } else {
        products.push_back({names.query, true, true, model.queryWidth(), hidden});
        products.push_back({names.key, true, true, model.keyWidth(), hidden});
        products.push_back({names.value, true, true, model.keyWidth(), hidden});
    }
    products.push_back({names.attentionOutput, false, true, hidden, model.queryWidth()});
}

void addFeedForward(std::vector<AdaptableProduct>& products, const FamilyNames& names, const ModelSpec& model)
{
    const int blocks = model.isGated() && names.gate.empty() ? 2 : 1;
    if (model.isGated() && !names.gate.empty())
        products.push_back({names.gate, true, false, model.intermediate, model.hidden});
    products.push_back(
        {names.in, true, false, blocks * std::int64_t{model.intermediate}, model.hidden, blocks});
    products.push_back({names.out, false, false, model.hidden, model.intermediate});
}

} // namespace

std::vector<AdaptableProduct> adaptableProducts(const ModelSpec& model)
{
    const FamilyNames& names = familyTable(model.family).names;
    std::vector<AdaptableProduct> products;
    addAttention(products, names, model);
    if (!model.hasExperts(0))
        addFeedForward(products, names, model);
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
    const auto& targets = familyTable(model.family).loraTargets;
    return {targets.begin(), targets.end()};
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
