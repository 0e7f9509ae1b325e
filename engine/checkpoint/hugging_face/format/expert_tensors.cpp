#include "engine/checkpoint/hugging_face/format/expert_tensors.h"

#include <array>

#include <fmt/format.h>

#include "engine/base/parsed_number.h"
#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

/// Removes "<prefix>." from the front.
bool takePrefix(std::string_view& name, std::string_view prefix)
{
    if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with('.'))
        return false;
    name.remove_prefix(prefix.size() + 1);
    return true;
}

/// Removes "<number>." from the front.
std::optional<std::uint32_t> takeNumber(std::string_view& name)
{
    const std::string_view digits = name.substr(0, name.find('.'));
    const auto number = parsedNumber<std::uint32_t>(digits);
    return number && takePrefix(name, digits) ? number : std::nullopt;
}

std::string weightOf(std::string_view product)
{
    return fmt::format("{}.weight", product);
}

/// What one expert has in a tensor of its own.
struct ExpertPart {
    std::string tensor;
    std::string_view parameter; ///< which has all experts, each `height` rows
    std::int64_t height = 0;
    std::int64_t firstRow = 0; ///< among them
    std::int64_t rows = 0;
};

std::array<ExpertPart, 3> expertParts(const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    const ExpertTensorNames& separate = table.huggingFace.separateExperts;
    const std::int64_t width = model.expertWidth();
    return {{{weightOf(separate.gate), table.names.expertsIn, 2 * width, 0, width},
             {weightOf(separate.in), table.names.expertsIn, 2 * width, width, width},
             {weightOf(separate.out), table.names.expertsOut, model.hidden, 0, model.hidden}}};
}

/// Removes "<layers>.<number>." from the front and returns it; empty for what is of no layer, or of a family
/// whose experts are never apart.
std::string takeLayer(std::string_view& name, const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    if (table.huggingFace.separateExperts.experts.empty() || !takePrefix(name, table.names.layers))
        return {};
    const auto layer = takeNumber(name);
    return layer ? fmt::format("{}.{}.", table.names.layers, *layer) : std::string();
}

} // namespace

std::optional<TensorRole> roleOfExpert(std::string_view name, const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    const ExpertTensorNames& separate = table.huggingFace.separateExperts;
    const std::string layer = takeLayer(name, model);
    if (layer.empty())
        return std::nullopt;
    if (name == weightOf(separate.router))
        return TensorRole{TensorRole::Kind::Parameter, layer + weightOf(table.names.router)};
    if (!takePrefix(name, separate.experts))
        return std::nullopt;
    const auto expert = takeNumber(name);
    if (!expert || *expert >= static_cast<std::uint32_t>(model.experts.count))
        return std::nullopt;
    for (const ExpertPart& part : expertParts(model)) {
        if (name == part.tensor)
            return TensorRole{TensorRole::Kind::Parameter, layer + std::string(part.parameter),
                              *expert * part.height + part.firstRow, part.rows};
    }
    return std::nullopt;
}

std::vector<RowsTensor> separateTensors(std::string_view parameter, const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    const ExpertTensorNames& separate = table.huggingFace.separateExperts;
    const std::string layer = takeLayer(parameter, model);
    if (layer.empty())
        return {};
    if (parameter == weightOf(table.names.router))
        return {{layer + weightOf(separate.router), 0, model.experts.count}};
    std::vector<RowsTensor> tensors;
    const std::array<ExpertPart, 3> parts = expertParts(model);
    for (std::int64_t expert = 0; expert < model.experts.count; ++expert) {
        for (const ExpertPart& part : parts) {
            if (parameter == part.parameter)
                tensors.push_back({fmt::format("{}{}.{}.{}", layer, separate.experts, expert, part.tensor),
                                   expert * part.height + part.firstRow, part.rows});
        }
    }
    return tensors;
}

bool isOfExperts(std::string_view parameter, const ModelSpec& model)
{
    const FamilyNames& names = familyTable(model.family).names;
    const auto endsWith = [&](std::string_view end) { return !end.empty() && parameter.ends_with(end); };
    return model.experts.isOn() && (endsWith(names.expertsIn) || endsWith(names.expertsOut));
}

std::vector<std::int64_t> huggingFaceShape(std::string_view parameter, std::vector<std::int64_t> shape,
                                           const ModelSpec& model)
{
    if (!isOfExperts(parameter, model))
        return shape;
    shape.front() /= model.experts.count;
    shape.insert(shape.begin(), model.experts.count);
    return shape;
}

} // namespace trainyard
