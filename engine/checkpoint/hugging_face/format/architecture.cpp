#include "engine/checkpoint/hugging_face/format/architecture.h"

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/checkpoint/hugging_face/format/table_architecture.h"
#include "engine/spec/families/family_table.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

const std::vector<const Architecture*>& all()
{
    static const auto tables = [] {
        std::vector<std::unique_ptr<const Architecture>> made;
        for (std::size_t family = 0; family < familyTables().size(); ++family) {
            if (!familyTables()[family]->huggingFace.modelType.empty())
                made.push_back(makeTableArchitecture(static_cast<ModelFamily>(family)));
        }
        return made;
    }();
    static const auto architectures = [] {
        std::vector<const Architecture*> all{&bertArchitecture(), &gpt2Architecture()};
        for (const auto& table : tables)
            all.push_back(table.get());
        return all;
    }();
    return architectures;
}

} // namespace

Result<const Architecture*> architectureOf(std::string_view modelType)
{
    std::string known;
    for (const Architecture* architecture : all()) {
        if (architecture->modelType() == modelType)
            return architecture;
        known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", architecture->modelType());
    }
    return badInput(fmt::format("model_type is \"{}\"", modelType), known + " can be imported");
}

const Architecture& architectureOf(const ModelSpec& model)
{
    for (const Architecture* architecture : all()) {
        if (architecture->family() == model.family)
            return *architecture;
    }
    TRAINYARD_CHECK_MSG(false, std::string(nameOf(model.family)));
    return bertArchitecture();
}

std::string unnamedLabel(int number)
{
    return fmt::format("LABEL_{}", number);
}

Result<Activation> activationFrom(const std::string& name)
{
    if (name == "gelu_pytorch_tanh") // the same function under a newer name
        return Activation::GeluNew;
    const auto activation = enumFromName<Activation>(name);
    if (!activation || *activation == Activation::Swiglu)
        return badInput(fmt::format("the activation is \"{}\"", name),
                        "\"gelu\", \"gelu_new\", \"gelu_pytorch_tanh\" and \"relu\" are supported");
    return *activation;
}

} // namespace trainyard
