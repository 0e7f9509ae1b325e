#include "engine/checkpoint/hugging_face/format/architecture.h"

#include <array>

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

std::array<const Architecture*, 2> all()
{
    return {&bertArchitecture(), &gpt2Architecture()};
}

} // namespace

Result<const Architecture*> architectureOf(std::string_view modelType)
{
    std::string known;
    for (const Architecture* architecture : all()) {
        if (architecture->modelType() == modelType)
            return architecture;
        known += fmt::format("{}\"{}\"", known.empty() ? "" : " or ", architecture->modelType());
    }
    return badInput(fmt::format("model_type is \"{}\"", modelType), "only " + known + " can be imported");
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
