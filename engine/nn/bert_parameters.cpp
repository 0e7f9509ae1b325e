#include "engine/nn/bert_for_pretraining.h"

namespace trainyard {

namespace {

using Shape = std::vector<std::int64_t>;

// Collects the parameters of nested parts, whose names share a prefix.
class ParameterList {
public:
    void matrix(const std::string& name, Shape shape)
    {
        add(name, std::move(shape), Initialization::Normal, true);
    }
    void bias(const std::string& name, std::int64_t width)
    {
        add(name, {width}, Initialization::Zero, false);
    }

    void linear(const std::string& name, std::int64_t out, std::int64_t in)
    {
        matrix(name + ".weight", {out, in});
        bias(name + ".bias", out);
    }

    void layerNorm(const std::string& name, std::int64_t width)
    {
        add(name + ".weight", {width}, Initialization::One, false);
        bias(name + ".bias", width);
    }

    void stackOnPrevious() { m_specs.back().stackedOnPrevious = true; }
    std::vector<ParameterSpec> take() { return std::move(m_specs); }

private:
    void add(const std::string& name, Shape shape, Initialization initialization, bool decays)
    {
        m_specs.push_back({name, std::move(shape), initialization, decays, false});
    }

    std::vector<ParameterSpec> m_specs;
};

// One matrix and one bias for query, key and value: a single product computes all three.
void addQueryKeyValue(ParameterList& list, const std::string& prefix, std::int64_t hidden)
{
    list.matrix(prefix + ".query.weight", {hidden, hidden});
    for (const char* part : {".key.weight", ".value.weight"}) {
        list.matrix(prefix + part, {hidden, hidden});
        list.stackOnPrevious();
    }
    list.bias(prefix + ".query.bias", hidden);
    for (const char* part : {".key.bias", ".value.bias"}) {
        list.bias(prefix + part, hidden);
        list.stackOnPrevious();
    }
}

void addLayer(ParameterList& list, const std::string& prefix, const ModelSpec& model)
{
    addQueryKeyValue(list, prefix + ".attention.self", model.hidden);
    list.linear(prefix + ".attention.output.dense", model.hidden, model.hidden);
    list.layerNorm(prefix + ".attention.output.LayerNorm", model.hidden);
    list.linear(prefix + ".intermediate.dense", model.intermediate, model.hidden);
    list.linear(prefix + ".output.dense", model.hidden, model.intermediate);
    list.layerNorm(prefix + ".output.LayerNorm", model.hidden);
}

} // namespace

std::vector<ParameterSpec> bertParameters(const ModelSpec& model)
{
    ParameterList list;
    list.matrix("bert.embeddings.word_embeddings.weight", {model.vocabulary, model.hidden});
    list.matrix("bert.embeddings.position_embeddings.weight", {model.maxPositions, model.hidden});
    list.matrix("bert.embeddings.token_type_embeddings.weight", {model.tokenTypes, model.hidden});
    list.layerNorm("bert.embeddings.LayerNorm", model.hidden);
    for (int layer = 0; layer < model.layers; ++layer)
        addLayer(list, "bert.encoder.layer." + std::to_string(layer), model);
    list.linear("bert.pooler.dense", model.hidden, model.hidden);
    list.linear("cls.predictions.transform.dense", model.hidden, model.hidden);
    list.layerNorm("cls.predictions.transform.LayerNorm", model.hidden);
    list.bias("cls.predictions.bias", model.vocabulary);
    list.linear("cls.seq_relationship", 2, model.hidden);
    return list.take();
}

} // namespace trainyard
