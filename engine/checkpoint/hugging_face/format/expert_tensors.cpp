#include "engine/checkpoint/hugging_face/format/expert_tensors.h"

#include <charconv>

#include <fmt/format.h>

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
std::optional<int> takeNumber(std::string_view& name)
{
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() ||
        !takePrefix(name, name.substr(0, static_cast<std::size_t>(end - name.data()))))
        return std::nullopt;
    return number;
}

} // namespace

std::optional<TensorRole> roleOfExpert(std::string_view name, const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    const ExpertTensorNames& separate = table.huggingFace.separateExperts;
    if (separate.experts.empty() || !takePrefix(name, table.names.layers))
        return std::nullopt;
    const std::optional<int> layer = takeNumber(name);
    if (!layer)
        return std::nullopt;
    const auto whole = [&](std::string_view rest) {
        return fmt::format("{}.{}.{}", table.names.layers, *layer, rest);
    };
    if (takePrefix(name, separate.router) && name == "weight")
        return TensorRole{TensorRole::Kind::Parameter, whole(table.names.router) + ".weight"};
    if (!takePrefix(name, separate.experts))
        return std::nullopt;
    const std::optional<int> expert = takeNumber(name);
    if (!expert || *expert >= model.experts.count)
        return std::nullopt;
    const std::int64_t width = model.expertWidth();
    const std::int64_t first = *expert;
    const auto part = [&](std::string_view parameter, std::int64_t firstRow, std::int64_t rows) {
        return TensorRole{TensorRole::Kind::Parameter, whole(parameter), firstRow, rows};
    };
    if (name == fmt::format("{}.weight", separate.gate))
        return part(table.names.expertsIn, first * 2 * width, width);
    if (name == fmt::format("{}.weight", separate.in))
        return part(table.names.expertsIn, first * 2 * width + width, width);
    if (name == fmt::format("{}.weight", separate.out))
        return part(table.names.expertsOut, first * model.hidden, model.hidden);
    return std::nullopt;
}

std::vector<RowsTensor> separateTensors(std::string_view parameter, const ModelSpec& model)
{
    const FamilyTable& table = familyTable(model.family);
    const ExpertTensorNames& separate = table.huggingFace.separateExperts;
    if (separate.experts.empty() || !takePrefix(parameter, table.names.layers))
        return {};
    const std::optional<int> layer = takeNumber(parameter);
    if (!layer)
        return {};
    const std::string prefix = fmt::format("{}.{}.", table.names.layers, *layer);
    if (parameter == fmt::format("{}.weight", table.names.router))
        return {{fmt::format("{}{}.weight", prefix, separate.router), 0, model.experts.count}};
    std::vector<RowsTensor> tensors;
    const std::int64_t width = model.expertWidth();
    for (std::int64_t expert = 0; expert < model.experts.count; ++expert) {
        const auto add = [&](std::string_view name, std::int64_t first, std::int64_t rows) {
            tensors.push_back({fmt::format("{}{}.{}.{}.weight", prefix, separate.experts, expert, name), first, rows});
        };
        if (parameter == table.names.expertsIn) {
            add(separate.gate, expert * 2 * width, width);
            add(separate.in, expert * 2 * width + width, width);
        } else if (parameter == table.names.expertsOut) {
            add(separate.out, expert * model.hidden, model.hidden);
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
