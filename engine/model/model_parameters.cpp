#include "engine/model/model_parameters.h"

#include "engine/model/adapter_names.h"
#include "engine/model/bert_head_names.h"
#include "engine/model/model_family.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

constexpr TensorSplit kByVocabulary{0};

void addEmbeddings(ParameterList& list, const ModelSpec& model)
{
    const EmbeddingNames names = familyOf(model).embeddingNames();
    list.matrix(names.words, {model.vocabulary, model.hidden}, kByVocabulary);
    if (model.positions == PositionEncoding::Learned)
        list.matrix(names.positions, {model.maxPositions, model.hidden});
    if (model.tokenTypes > 0)
        list.matrix(names.tokenTypes, {model.tokenTypes, model.hidden});
    if (!names.norm.empty())
        list.layerNorm(names.norm, model.hidden);
}

// One matrix and one bias for query, key and value: a single product computes all three. They are either one
// logical tensor of three blocks, or three tensors behind each other.
void addQueryKeyValue(ParameterList& list, const std::array<std::string, 3>& names, std::int64_t hidden)
{
    if (names[1].empty()) {
        list.matrix(names[0] + ".weight", {3 * hidden, hidden}, {0, 3});
        list.bias(names[0] + ".bias", 3 * hidden, {0, 3});
        return;
    }
    list.matrix(names[0] + ".weight", {hidden, hidden}, {0});
    for (const std::string& name : {names[1], names[2]}) {
        list.matrix(name + ".weight", {hidden, hidden}, {0});
        list.stackOnPrevious();
    }
    list.bias(names[0] + ".bias", hidden, {0});
    for (const std::string& name : {names[1], names[2]}) {
        list.bias(name + ".bias", hidden, {0});
        list.stackOnPrevious();
    }
}

/// The adapters of a layer's products, in the order of the forward pass.
class AdapterList {
public:
    AdapterList(ParameterList& list, const ModelSpec& model) : m_list(list), m_model(model) {}

    void add(const std::string& product, std::int64_t out, std::int64_t in, LinearSplit split, int blocks = 1)
    {
        if (isAdapted(m_model, product))
            m_list.adapter(product, m_model.lora.rank, out, in, split, blocks);
    }

private:
    ParameterList& m_list;
    const ModelSpec& m_model;
};

void addAdapters(ParameterList& list, const ModelSpec& model, const LayerNames& names)
{
    AdapterList adapters(list, model);
    const std::int64_t hidden = model.hidden;
    const std::int64_t inner = model.intermediate;
    const bool isOne = names.queryKeyValue[1].empty();
    for (const std::string& name : names.queryKeyValue) {
        if (!name.empty())
            adapters.add(name, isOne ? 3 * hidden : hidden, hidden, LinearSplit::Column, isOne ? 3 : 1);
    }
    adapters.add(names.attentionOutput, hidden, hidden, LinearSplit::Row);
    adapters.add(names.feedForwardGate, inner, hidden, LinearSplit::Column);
    adapters.add(names.feedForwardIn, inner, hidden, LinearSplit::Column);
    adapters.add(names.feedForwardOut, hidden, inner, LinearSplit::Row);
}

// A gate lies before the other factor: a single product computes both.
void addFeedForwardIn(ParameterList& list, const LayerNames& names, const ModelSpec& model)
{
    if (model.activation != Activation::Swiglu)
        return list.linear(names.feedForwardIn, model.intermediate, model.hidden, LinearSplit::Column);
    list.matrix(names.feedForwardGate + ".weight", {model.intermediate, model.hidden}, {0});
    list.matrix(names.feedForwardIn + ".weight", {model.intermediate, model.hidden}, {0});
    list.stackOnPrevious();
    list.bias(names.feedForwardGate + ".bias", model.intermediate, {0});
    list.bias(names.feedForwardIn + ".bias", model.intermediate, {0});
    list.stackOnPrevious();
}

void addLayer(ParameterList& list, const ModelSpec& model, int layer)
{
    const ModelFamilyTraits& family = familyOf(model);
    const LayerNames names = family.layerNames(layer);
    const double residual = family.residualDeviationScale(model);
    const bool normFirst = model.norm == NormPlacement::Pre;
    const auto norm = [&](bool here, const std::string& name) {
        if (here)
            list.layerNorm(name, model.hidden);
    };
    norm(normFirst, names.attentionNorm);
    addQueryKeyValue(list, names.queryKeyValue, model.hidden);
    list.linear(names.attentionOutput, model.hidden, model.hidden, LinearSplit::Row, residual);
    norm(!normFirst, names.attentionNorm);
    norm(normFirst, names.feedForwardNorm);
    addFeedForwardIn(list, names, model);
    list.linear(names.feedForwardOut, model.hidden, model.intermediate, LinearSplit::Row, residual);
    norm(!normFirst, names.feedForwardNorm);
    addAdapters(list, model, names);
}

void addHead(ParameterList& list, const ModelSpec& model)
{
    const HeadNames names = familyOf(model).headNames();
    if (model.norm == NormPlacement::Pre)
        list.layerNorm(names.finalNorm, model.hidden);
    familyOf(model).addHead(list, model);
    if (!model.tiedHead && model.predictsWords())
        list.matrix(names.decoder, {model.vocabulary, model.hidden}, kByVocabulary);
}

/// With adapters training changes them alone, and the last product of a task's head, which no model brings
/// along (PEFT's modules_to_save).
bool isTrained(const ParameterSpec& parameter, const ModelSpec& model)
{
    return isOfAdapter(parameter.name) ||
           (model.task.hasHead() &&
            parameter.name.starts_with(std::string(bert_head::taskOutput(model.task)) + "."));
}

std::vector<ParameterSpec> withFrozen(std::vector<ParameterSpec> parameters, const ModelSpec& model)
{
    for (ParameterSpec& parameter : parameters)
        parameter.isFrozen = model.lora.isOn() && !isTrained(parameter, model);
    return parameters;
}

ParameterSpec copyOf(ParameterSpec words, int headPart)
{
    words.part = headPart;
    words.isCopy = true;
    return words;
}

} // namespace

std::vector<ParameterSpec> modelParameters(const ModelSpec& model)
{
    ParameterList list;
    list.beginPart(kEmbeddingsPart);
    addEmbeddings(list, model);
    for (int layer = 0; layer < model.layers; ++layer) {
        list.beginPart(layer);
        addLayer(list, model, layer);
    }
    list.beginPart(model.layers);
    addHead(list, model);
    return withFrozen(list.take(), model);
}

std::vector<ParameterSpec> modelParameters(const ModelSpec& model, const StageRange& stage)
{
    const std::vector<ParameterSpec> whole = modelParameters(model);
    std::vector<ParameterSpec> parameters;
    for (const ParameterSpec& parameter : whole) {
        if (stage.contains(parameter.part, model.layers))
            parameters.push_back(parameter);
    }
    if (stage.head && !stage.embeddings && model.sharesWordsWithHead())
        parameters.push_back(copyOf(whole.front(), model.layers));
    return parameters;
}

} // namespace trainyard
