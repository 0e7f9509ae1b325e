#include "engine/model/model_parameters.h"

#include "engine/model/adapter_names.h"
#include "engine/model/bert_head_names.h"
#include "engine/model/model_family.h"
#include "engine/model/parameter_list.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

constexpr TensorSplit kByVocabulary{0};

void addNorm(ParameterList& list, const ModelSpec& model, const std::string& name)
{
    list.norm(name, model.hidden, model);
}

void addEmbeddings(ParameterList& list, const ModelSpec& model)
{
    const EmbeddingNames names = embeddingNames(model);
    list.matrix(names.words, {model.vocabulary, model.hidden}, kByVocabulary);
    if (model.positions == PositionEncoding::Learned)
        list.matrix(names.positions, {model.maxPositions + model.positionOffset, model.hidden});
    if (model.tokenTypes > 0)
        list.matrix(names.tokenTypes, {model.tokenTypes, model.hidden});
    if (model.embeddingNorm)
        addNorm(list, model, names.norm);
}

/// Of one tensor of queries, keys and values: three blocks, unless those of a head stand together.
TensorSplit splitOfOne(const ModelSpec& model)
{
    return {0, areHeadByHead(model) ? 1 : 3};
}

// One matrix and one bias for query, key and value: a single product computes all three. They are either one
// logical tensor, or three tensors behind each other.
void addQueryKeyValue(ParameterList& list, const std::array<std::string, 3>& names, const ModelSpec& model)
{
    const bool hasBiases = model.attentionBiases != AttentionBiases::None;
    if (names[1].empty()) {
        list.matrix(names[0] + ".weight", {model.attentionWidth(), model.hidden}, splitOfOne(model));
        if (hasBiases)
            list.bias(names[0] + ".bias", model.attentionWidth(), splitOfOne(model));
        return;
    }
    const std::array<std::int64_t, 3> widths{model.queryWidth(), model.keyWidth(), model.keyWidth()};
    const auto stack = [&](std::size_t i) {
        if (i > 0)
            list.stackOnPrevious();
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        list.matrix(names[i] + ".weight", {widths[i], model.hidden}, {0});
        stack(i);
    }
    for (std::size_t i = 0; hasBiases && i < names.size(); ++i) {
        list.bias(names[i] + ".bias", widths[i], {0});
        stack(i);
    }
}

/// Of each head every rank has the whole weight, and uses it for its own heads.
void addQueryKeyNorms(ParameterList& list, const LayerNames& names, const ModelSpec& model)
{
    if (model.queryKeyNorm == QueryKeyNorm::None)
        return;
    const bool isWhole = model.queryKeyNorm == QueryKeyNorm::Whole;
    for (const auto& [name, width] :
         {std::pair{names.queryNorm, model.queryWidth()}, {names.keyNorm, model.keyWidth()}}) {
        if (isWhole)
            list.norm(name, width, model, {0});
        else
            list.partialNorm(name, model.headSize(), model);
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

/// The gate's rows lie in the same tensor before those of the other factor.
bool hasGateInside(const LayerNames& names, const ModelSpec& model)
{
    return model.isGated() && names.feedForwardGate.empty();
}

void addFeedForwardAdapters(AdapterList& adapters, const ModelSpec& model, const LayerNames& names)
{
    const std::int64_t hidden = model.hidden;
    const std::int64_t inner = model.intermediate;
    if (!names.feedForwardGate.empty())
        adapters.add(names.feedForwardGate, inner, hidden, LinearSplit::Column);
    const int blocks = hasGateInside(names, model) ? 2 : 1;
    adapters.add(names.feedForwardIn, blocks * inner, hidden, LinearSplit::Column, blocks);
    adapters.add(names.feedForwardOut, hidden, inner, LinearSplit::Row);
}

void addAdapters(ParameterList& list, const ModelSpec& model, const LayerNames& names, bool hasExperts)
{
    AdapterList adapters(list, model);
    const std::int64_t hidden = model.hidden;
    const auto& [query, key, value] = names.queryKeyValue;
    if (key.empty()) {
        adapters.add(query, model.attentionWidth(), hidden, LinearSplit::Column, splitOfOne(model).blocks);
    } else {
        adapters.add(query, model.queryWidth(), hidden, LinearSplit::Column);
        adapters.add(key, model.keyWidth(), hidden, LinearSplit::Column);
        adapters.add(value, model.keyWidth(), hidden, LinearSplit::Column);
    }
    adapters.add(names.attentionOutput, hidden, model.queryWidth(), LinearSplit::Row);
    if (!hasExperts)
        addFeedForwardAdapters(adapters, model, names);
}

// A gate lies before the other factor: a single product computes both.
void addFeedForwardIn(ParameterList& list, const LayerNames& names, const ModelSpec& model)
{
    const bool hasBias = model.feedForwardBiases;
    if (hasGateInside(names, model)) {
        list.matrix(names.feedForwardIn + ".weight", {2 * model.intermediate, model.hidden}, {0, 2});
        if (hasBias)
            list.bias(names.feedForwardIn + ".bias", 2 * model.intermediate, {0, 2});
        return;
    }
    if (!model.isGated())
        return list.linear(names.feedForwardIn, model.intermediate, model.hidden, LinearSplit::Column, 1,
                           hasBias);
    list.matrix(names.feedForwardGate + ".weight", {model.intermediate, model.hidden}, {0});
    list.matrix(names.feedForwardIn + ".weight", {model.intermediate, model.hidden}, {0});
    list.stackOnPrevious();
    if (!hasBias)
        return;
    list.bias(names.feedForwardGate + ".bias", model.intermediate, {0});
    list.bias(names.feedForwardIn + ".bias", model.intermediate, {0});
    list.stackOnPrevious();
}

void addFeedForward(ParameterList& list, const LayerNames& names, const ModelSpec& model)
{
    addFeedForwardIn(list, names, model);
    list.linear(names.feedForwardOut, model.hidden, model.intermediate, LinearSplit::Row,
                residualDeviationScale(model), model.feedForwardBiases);
}

void addExperts(ParameterList& list, const LayerNames& names, const ModelSpec& model)
{
    const int count = model.experts.count;
    const std::int64_t width = model.expertWidth();
    list.matrix(names.router + ".weight", {count, model.hidden});
    list.expertMatrices(names.expertsIn, count, 2 * width, model.hidden, LinearSplit::Column, 2);
    list.expertMatrices(names.expertsOut, count, model.hidden, width, LinearSplit::Row, 1,
                        residualDeviationScale(model));
}

void addLayer(ParameterList& list, const ModelSpec& model, int layer)
{
    const LayerNames names = layerNames(model, layer);
    const double residual = residualDeviationScale(model);
    const auto norm = [&](const std::string& name) {
        if (!name.empty())
            addNorm(list, model, name);
    };
    norm(names.attentionNorms.before);
    addQueryKeyValue(list, names.queryKeyValue, model);
    addQueryKeyNorms(list, names, model);
    list.linear(names.attentionOutput, model.hidden, model.queryWidth(), LinearSplit::Row, residual,
                model.attentionBiases == AttentionBiases::All);
    norm(names.attentionNorms.behind);
    norm(names.feedForwardNorms.before);
    const bool hasExperts = model.hasExperts(layer);
    hasExperts ? addExperts(list, names, model) : addFeedForward(list, names, model);
    norm(names.feedForwardNorms.behind);
    addAdapters(list, model, names, hasExperts);
}

void addTransform(ParameterList& list, const ModelSpec& model, const std::string& product,
                  const std::string& normName)
{
    list.linear(product, model.hidden, model.hidden, LinearSplit::None, 1, model.transformBias);
    addNorm(list, model, normName);
}

void addTaskHead(ParameterList& list, const ModelSpec& model)
{
    const TaskHeadNames names = taskHeadNames(model);
    if (!names.pooler.empty())
        list.linear(names.pooler, model.hidden, model.hidden);
    if (!names.transform.empty())
        addTransform(list, model, names.transform, names.transformNorm);
    list.linear(names.output, model.task.outputs(), model.hidden);
}

void addEncoderHead(ParameterList& list, const ModelSpec& model, const HeadNames& names)
{
    if (model.nextSentence)
        list.linear(bert_head::kPooler, model.hidden, model.hidden);
    addTransform(list, model, names.transform, names.transformNorm);
    list.bias(names.decoderBias, model.vocabulary, TensorSplit{0});
    if (model.nextSentence)
        list.linear(bert_head::kNextSentence, 2, model.hidden);
}

void addHead(ParameterList& list, const ModelSpec& model)
{
    const HeadNames names = headNames(model);
    if (model.hasFinalNorm())
        addNorm(list, model, names.finalNorm);
    if (model.task.hasHead())
        addTaskHead(list, model);
    else if (!model.isDecoder())
        addEncoderHead(list, model, names);
    if (!model.tiedHead && model.predictsWords())
        list.matrix(names.decoder, {model.vocabulary, model.hidden}, kByVocabulary);
}

/// With adapters training changes them alone, and what of a task's head no model brings along (PEFT's
/// modules_to_save).
bool isTrained(const ParameterSpec& parameter, const ModelSpec& model)
{
    return isOfAdapter(parameter.name) ||
           (model.task.hasHead() && parameter.name.starts_with(taskHeadNames(model).ownModule() + "."));
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
    words.isTied = true;
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
    if (model.sharesWordsWithHead() && stage.head != stage.embeddings) {
        if (stage.head)
            parameters.push_back(copyOf(whole.front(), model.layers));
        else
            parameters.front().isTied = true;
    }
    return parameters;
}

} // namespace trainyard
