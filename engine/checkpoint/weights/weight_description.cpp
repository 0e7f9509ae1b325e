#include "engine/checkpoint/weights/weight_description.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/json_problem.h"
#include "engine/spec/names.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// The format of specifications is the only one for models and optimizers, so the description holds one.
RunSpec specOf(const WeightDescription& description)
{
    RunSpec spec;
    spec.model = description.model;
    spec.optimizer.kind = description.optimizer.value_or(spec.optimizer.kind);
    return spec;
}

Result<StoredTensor> storedTensorFrom(const Json& json)
{
    StoredTensor tensor;
    json.at("name").get_to(tensor.name);
    json.at("shape").get_to(tensor.shape);
    const auto typeName = json.at("dtype").get<std::string>();
    const auto type = elementTypeFromName(typeName);
    if (!type)
        return badInput(fmt::format("tensor {}: element type {} is not supported", tensor.name, typeName));
    tensor.type = *type;
    return tensor;
}

Result<WeightDescription> descriptionFrom(const Json& json)
{
    WeightDescription description;
    json.at("origin").get_to(description.origin);
    json.at("updates").get_to(description.updates);
    const ParsedSpec parsed = parseSpec(json.at("spec").dump());
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in("spec");
    description.model = parsed.spec.model;
    if (json.at("has_optimizer").get<bool>())
        description.optimizer = parsed.spec.optimizer.kind;
    for (const Json& entry : json.at("tensors")) {
        TRAINYARD_TRY(StoredTensor tensor, storedTensorFrom(entry));
        description.tensors.push_back(std::move(tensor));
    }
    std::ranges::sort(description.tensors, {}, &StoredTensor::name);
    return description;
}

} // namespace

bool StoredTensor::holdsFloats() const
{
    return type == ElementType::F64 || type == ElementType::F32 || type == ElementType::F16 ||
           type == ElementType::BF16;
}

const StoredTensor* WeightDescription::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(tensors, name, {}, &StoredTensor::name);
    return found != tensors.end() && found->name == name ? &*found : nullptr;
}

std::string toJson(const WeightDescription& description)
{
    Json tensors = Json::array();
    for (const StoredTensor& tensor : description.tensors)
        tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"dtype", nameOf(tensor.type)}});
    return Json{{"origin", description.origin},
                {"spec", Json::parse(toJson(specOf(description)))},
                {"has_optimizer", description.optimizer.has_value()},
                {"updates", description.updates},
                {"tensors", std::move(tensors)}}
        .dump();
}

Result<WeightDescription> parseWeightDescription(std::string_view json)
{
    try {
        return descriptionFrom(Json::parse(json));
    } catch (const Json::exception& error) {
        return badInput(jsonProblem(error, json));
    }
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string listed(const std::vector<std::string>& items, std::string_view separator, std::size_t most)
{
    const std::size_t named = std::min(items.size(), most);
    std::string text = fmt::format(
        "{}", fmt::join(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(named), separator));
    if (named < items.size())
        text += fmt::format("{}and {} more", separator, items.size() - named);
    return text;
}

} // namespace trainyard
