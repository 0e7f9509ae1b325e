#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/hugging_face/format/architecture.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPrefix = "transformer.";

// Files of the bare GPT2Model, as the first ones were published, lack the prefix.
std::string prefixed(const std::string& name)
{
    const bool bare = name.starts_with("h.") || name.starts_with("wte.") || name.starts_with("wpe.") ||
                      name.starts_with("ln_f.");
    return bare ? std::string(kPrefix) + name : name;
}

// Masks that older versions stored with every layer.
bool isBuffer(const std::string& name)
{
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

Status checkOptions(const Json& config)
{
    if (!config.value("scale_attn_weights", true))
        return badInput("scale_attn_weights is false", "only scaled attention is supported");
    if (config.value("scale_attn_by_inverse_layer_idx", false))
        return badInput("scale_attn_by_inverse_layer_idx is true", "only the same scale in all layers is "
                                                                   "supported");
    if (config.value("add_cross_attention", false))
        return badInput("add_cross_attention is true", "only decoders without cross attention are supported");
    const double embeddings = config.value("embd_pdrop", 0.1);
    const double residual = config.value("resid_pdrop", 0.1);
    if (embeddings != residual)
        return badInput(fmt::format("embd_pdrop is {} and resid_pdrop {}", embeddings, residual),
                        "only one dropout for embeddings and residual sums is supported");
    return {};
}

int innerWidth(const Json& config, int hidden)
{
    const auto inner = config.find("n_inner");
    return inner == config.end() || inner->is_null() ? 4 * hidden : inner->get<int>();
}

// GPT2LMHeadModel.
class Gpt2Architecture : public Architecture {
public:
    std::string_view modelType() const override { return "gpt2"; }
    ModelFamily family() const override { return ModelFamily::Gpt; }
    std::string className(const ModelSpec&) const override { return "GPT2LMHeadModel"; }

    Result<ModelSpec> readConfig(const Json& config, const TensorNames&) const override
    {
        TRAINYARD_TRY_STATUS(checkOptions(config));
        ModelSpec model;
        model.setFamily(ModelFamily::Gpt);
        TRAINYARD_TRY(model.activation,
                      activationFrom(config.value("activation_function", std::string("gelu_new"))));
        config.at("n_layer").get_to(model.layers);
        config.at("n_embd").get_to(model.hidden);
        config.at("n_head").get_to(model.heads);
        config.at("vocab_size").get_to(model.vocabulary);
        config.at("n_positions").get_to(model.maxPositions);
        model.intermediate = innerWidth(config, model.hidden);
        model.dropout = config.value("resid_pdrop", model.dropout);
        model.attentionDropout = config.value("attn_pdrop", model.attentionDropout);
        model.layerNormEpsilon = config.value("layer_norm_epsilon", model.layerNormEpsilon);
        model.initializerRange = config.value("initializer_range", model.initializerRange);
        model.tiedHead = config.value("tie_word_embeddings", model.tiedHead);
        return model;
    }

    Json config(const ModelSpec& model, const std::vector<std::string>&) const override
    {
        return {{"activation_function", nameOf(model.activation)},
                {"architectures", {className(model)}},
                {"attn_pdrop", model.attentionDropout},
                {"bos_token_id", nullptr},
                {"embd_pdrop", model.dropout},
                {"eos_token_id", nullptr},
                {"initializer_range", model.initializerRange},
                {"layer_norm_epsilon", model.layerNormEpsilon},
                {"model_type", modelType()},
                {"n_embd", model.hidden},
                {"n_head", model.heads},
                {"n_inner", model.intermediate},
                {"n_layer", model.layers},
                {"n_positions", model.maxPositions},
                {"resid_pdrop", model.dropout},
                {"tie_word_embeddings", model.tiedHead},
                {"torch_dtype", "float32"},
                {"vocab_size", model.vocabulary}};
    }

    Status requireExportable(const ModelSpec& model) const override
    {
        if (model.norm == NormPlacement::Pre && model.positions == PositionEncoding::Learned &&
            !model.isGated())
            return requireSaid(model, readConfig(config(model, {}), {}));
        return badInput(fmt::format("Hugging Face has no GPT-2 with {}-norm, {} positions and {}",
                                    nameOf(model.norm), nameOf(model.positions), nameOf(model.activation)),
                        "only pre-norm, learned positions and an activation without a gate can be exported");
    }

    TensorRole roleOf(const std::string& storedName, const ModelSpec& model,
                      const TensorNames&) const override
    {
        using Kind = TensorRole::Kind;
        const std::string name = prefixed(storedName);
        if (isBuffer(name))
            return {Kind::Unused, {}};
        if (model.tiedHead && name == "lm_head.weight")
            return {Kind::Copy, "transformer.wte.weight"};
        return {Kind::Parameter, name};
    }

    // Its class Conv1D, a product that stores its weight as [in, out].
    bool isTransposed(const std::string& parameter) const override
    {
        constexpr std::array kConv1D{".c_attn.weight", ".c_proj.weight", ".c_fc.weight"};
        return std::ranges::any_of(kConv1D, [&](const char* suffix) { return parameter.ends_with(suffix); });
    }

    std::string secondName(const std::string&, const ModelSpec&) const override { return {}; }
};

} // namespace

const Architecture& gpt2Architecture()
{
    static const Gpt2Architecture architecture;
    return architecture;
}

} // namespace trainyard
