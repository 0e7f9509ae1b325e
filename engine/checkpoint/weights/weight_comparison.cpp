#include "engine/checkpoint/weights/weight_comparison.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/counted.h"
#include "engine/base/tensor_box.h"
#include "engine/base/units.h"
#include "engine/base/untrusted_text.h"
#include "engine/model/adapter_names.h"
#include "engine/model/model_family.h"
#include "engine/model/model_parameters.h"
#include "engine/spec/limits.h"
#include "engine/spec/lora_targets.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr std::size_t kNamedTensors = 3; ///< in a message; a model has hundreds

/// A head computes what was learned into what is asked for, and another question needs another one. The final
/// norm and the decoder of the words are not of that kind.
bool isOfHead(const ParameterSpec& parameter, const ModelSpec& model)
{
    const HeadNames names = headNames(model);
    return parameter.part == model.layers && parameter.name != names.decoder &&
           !parameter.name.starts_with(names.finalNorm + ".");
}

/// One row for each word or for each position: outside the layers tensor parallelism cuts by words alone.
bool hasAdjustableRows(const ParameterSpec& parameter, const ModelSpec& model)
{
    const bool inLayer = parameter.part != kEmbeddingsPart && parameter.part != model.layers;
    return (parameter.split.cuts() && !inLayer) || parameter.name == embeddingNames(model).positions;
}

bool differInRowsAlone(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b)
{
    return a.size() == b.size() && !a.empty() && std::equal(a.begin() + 1, a.end(), b.begin() + 1);
}

/// Whatever their targets are called.
bool haveTheSameAdapters(const ModelSpec& a, const ModelSpec& b)
{
    return std::ranges::equal(adaptedProducts(a), adaptedProducts(b), {}, &AdaptableProduct::name,
                              &AdaptableProduct::name);
}

std::vector<std::string> textsOf(const std::vector<WeightComparison::Apart>& tensors)
{
    std::vector<std::string> texts;
    for (const WeightComparison::Apart& tensor : tensors)
        texts.push_back(shownMessage(tensor.name) + " " + shapeText(tensor.shape));
    return texts;
}

/// Without the prefix of checkpoints.
std::string plainName(std::string_view name)
{
    if (name.starts_with(kWeightPrefix))
        name.remove_prefix(kWeightPrefix.size());
    return std::string(name);
}

/// "optimizer/exp_avg/" of every state that is stored.
std::set<std::string> statePrefixes(const WeightDescription& stored)
{
    std::set<std::string> prefixes;
    for (const StoredTensor& tensor : stored.tensors) {
        if (tensor.name.starts_with(kOptimizerPrefix))
            prefixes.insert(tensor.name.substr(0, tensor.name.find('/', kOptimizerPrefix.size()) + 1));
    }
    return prefixes;
}

class Comparer {
public:
    Comparer(const WeightDescription& stored, const RunSpec& spec) : m_stored(stored), m_spec(spec)
    {
        m_found.origin = stored.origin;
    }

    WeightComparison compare()
    {
        if (compareFamilies()) {
            compareModels();
            compareTensors();
            compareOptimizers();
            reportTensors();
        }
        return std::move(m_found);
    }

private:
    /// Of other families no tensor has the same name, and a damaged configuration may claim millions of
    /// layers.
    bool compareFamilies()
    {
        require("model.family", nameOf(m_spec.model.family), nameOf(m_stored.model.family));
        if (m_stored.model.layers > kMaxLayers)
            require("model.layers", m_spec.model.layers, m_stored.model.layers);
        return m_found.problems.empty();
    }

    /// What no shape shows, but changes what the weights compute.
    void compareModels()
    {
        const ModelSpec& here = m_spec.model;
        const ModelSpec& there = m_stored.model;
        require("model.heads", here.heads, there.heads);
        require("model.activation", nameOf(here.activation), nameOf(there.activation));
        require("model.norm", nameOf(here.norm), nameOf(there.norm));
        require("model.positions", nameOf(here.positions), nameOf(there.positions));
        require("model.tied_head", here.tiedHead, there.tiedHead);
        require("model.layer_norm_epsilon", here.layerNormEpsilon, there.layerNormEpsilon);
        compareDescriptions(here, there);
        if (there.lora.isOn())
            compareAdapters(here, there);
    }

    /// What newer families decide.
    void compareDescriptions(const ModelSpec& here, const ModelSpec& there)
    {
        if (here.heads == there.heads)
            require("model.kv_heads", here.keyHeads(), there.keyHeads());
        if (here.headWidth > 0 || there.headWidth > 0)
            require("model.head_width", here.headSize(), there.headSize());
        require("model.norm_kind", nameOf(here.normKind), nameOf(there.normKind));
        require("model.qk_norm", nameOf(here.queryKeyNorm), nameOf(there.queryKeyNorm));
        require("model.parallel_residual", here.parallelResidual, there.parallelResidual);
        require("model.window", here.window, there.window);
        require("model.global_every", here.globalEvery, there.globalEvery);
        require("model.global_first", here.globalFirst, there.globalFirst);
        require("model.global_leading", here.globalLeading, there.globalLeading);
        require("model.query_scale_width", here.queryScaleWidth, there.queryScaleWidth);
        require("model.score_cap", here.scoreCap, there.scoreCap);
        require("model.logit_cap", here.logitCap, there.logitCap);
        require("model.scaled_embeddings", here.scaledEmbeddings, there.scaledEmbeddings);
        require("model.experts.per_token", here.experts.perToken, there.experts.perToken);
        require("model.experts.every", here.experts.every, there.experts.every);
        require("model.experts.normalized", here.experts.normalized, there.experts.normalized);
        require("model.rope.base", here.rope.base, there.rope.base);
        require("model.rope.window_base", here.rope.windowBase, there.rope.windowBase);
        require("model.rope.share", here.rope.share, there.rope.share);
        require("model.rope.scaling", nameOf(here.rope.scaling), nameOf(there.rope.scaling));
        require("model.rope.factor", here.rope.factor, there.rope.factor);
    }

    /// Weights that were trained with adapters compute with them.
    void compareAdapters(const ModelSpec& here, const ModelSpec& there)
    {
        require("lora.rank", here.lora.rank, there.lora.rank);
        require("lora.alpha", here.lora.alpha, there.lora.alpha);
        if (!haveTheSameAdapters(here, there))
            require("lora.targets", fmt::format("{}", fmt::join(loraTargets(here), ", ")),
                    fmt::format("{}", fmt::join(loraTargets(there), ", ")));
    }

    template <typename Value>
    void require(const char* path, const Value& here, const Value& there)
    {
        if (here == there)
            return;
        refuse(path, fmt::format("is {}, but {} has {}", here, m_stored.origin, there),
               fmt::format("set it to {}, or begin with other weights", there));
    }

    /// Names of tensors come from files that anybody may have written.
    void refuse(const char* path, const std::string& message, const std::string& hint)
    {
        m_found.problems.push_back({path, sanitizeText(message, Lines::One, kShownTextBytes),
                                    sanitizeText(hint, Lines::One, kShownTextBytes), ErrorKind::Refused});
    }

    void compareTensors()
    {
        std::set<std::string> names;
        for (const ParameterSpec& parameter : modelParameters(m_spec.model)) {
            names.insert(parameter.name);
            takeParameter(parameter);
        }
        std::set<std::string> body;
        for (const ParameterSpec& parameter : modelParameters(m_stored.model)) {
            if (!isOfHead(parameter, m_stored.model))
                body.insert(parameter.name);
        }
        for (const StoredTensor& tensor : m_stored.tensors) {
            const std::string name = plainName(tensor.name);
            if (tensor.name.starts_with(kWeightPrefix) && !names.contains(name))
                leaveTensor({name, tensor.shape}, body.contains(name));
        }
        std::ranges::sort(m_found.loaded, {}, &WeightComparison::Loaded::name);
    }

    void takeParameter(const ParameterSpec& parameter)
    {
        const StoredTensor* stored = m_stored.find(std::string(kWeightPrefix) + parameter.name);
        const std::string here = shapeText(parameter.shape);
        if (!stored && (isOfHead(parameter, m_spec.model) || isOfAdapter(parameter.name)))
            m_found.drawn.push_back({parameter.name, parameter.shape});
        else if (!stored)
            m_different.push_back(fmt::format("{} is {} here and missing there", parameter.name, here));
        else if (!stored->holdsFloats())
            m_different.push_back(
                fmt::format("{} has the type {} there", parameter.name, nameOf(stored->type)));
        else if (stored->shape == parameter.shape)
            m_found.loaded.push_back({stored->name, parameter.shape, stored->shape});
        else if (hasAdjustableRows(parameter, m_spec.model) &&
                 differInRowsAlone(stored->shape, parameter.shape))
            resize(parameter, *stored);
        else
            m_different.push_back(
                fmt::format("{} is {} here and {} there", parameter.name, here, shapeText(stored->shape)));
    }

    void resize(const ParameterSpec& parameter, const StoredTensor& stored)
    {
        m_found.loaded.push_back({stored.name, parameter.shape, stored.shape});
        if (!m_spec.init.resize)
            m_resized.push_back(fmt::format("{} is {} here and {} there", parameter.name,
                                            shapeText(parameter.shape), shapeText(stored.shape)));
    }

    void leaveTensor(WeightComparison::Apart tensor, bool isOfBody)
    {
        if (isOfBody)
            m_different.push_back(
                fmt::format("{} is {} there and missing here", tensor.name, shapeText(tensor.shape)));
        else
            m_found.left.push_back(std::move(tensor));
    }

    void reportTensors()
    {
        if (m_different.empty() && m_resized.empty())
            return;
        Diagnostics others = std::exchange(m_found.problems, {});
        compareSizes();
        if (m_found.problems.empty()) {
            m_found.problems = std::move(others);
            reportUnexplained();
        } else {
            std::ranges::move(others, std::back_inserter(m_found.problems));
        }
    }

    /// The fields that the shapes follow from. They alone refuse nothing: a configuration may say what no
    /// tensor shows.
    void compareSizes()
    {
        const ModelSpec& here = m_spec.model;
        const ModelSpec& there = m_stored.model;
        if (!m_different.empty()) {
            constexpr const char* kOtherwise = "begin with other weights";
            requireSize("model.layers", here.layers, there.layers, kOtherwise);
            requireSize("model.hidden", here.hidden, there.hidden, kOtherwise);
            requireSize("model.intermediate", here.intermediate, there.intermediate, kOtherwise);
            requireSize("model.experts.count", here.experts.count, there.experts.count, kOtherwise);
            if (here.experts.isOn())
                requireSize("model.experts.width", here.expertWidth(), there.expertWidth(), kOtherwise);
            requireSize("model.token_types", here.tokenTypes, there.tokenTypes, kOtherwise);
        }
        if (m_spec.init.resize)
            return;
        constexpr const char* kOtherwise = "set init.resize to true";
        requireSize("model.vocabulary", here.vocabulary, there.vocabulary, kOtherwise);
        if (here.positions == PositionEncoding::Learned)
            requireSize("model.max_positions", here.maxPositions, there.maxPositions, kOtherwise);
    }

    /// Who gets one problem gets the first, which therefore also names tensors.
    void requireSize(const char* path, int here, int there, const char* otherwise)
    {
        if (here == there)
            return;
        const std::string tensors = m_found.problems.empty() ? "; " + differingTensors() : std::string();
        refuse(path, fmt::format("is {}, but {} has {}{}", here, m_stored.origin, there, tensors),
               fmt::format("set it to {}, or {}", there, otherwise));
    }

    std::string differingTensors() const
    {
        std::vector<std::string> all = m_different;
        all.insert(all.end(), m_resized.begin(), m_resized.end());
        return differing(all);
    }

    /// "1 tensor differs: ..."
    static std::string differing(const std::vector<std::string>& tensors)
    {
        return fmt::format("{} {}: {}", counted(tensors.size(), "tensor"),
                           tensors.size() == 1 ? "differs" : "differ", listed(tensors, "; ", kNamedTensors));
    }

    void reportUnexplained()
    {
        if (!m_different.empty())
            refuse("init.path",
                   fmt::format("{} holds another model, {}", m_stored.origin, differing(m_different)),
                   "begin with weights of this model, or give section model their shape");
        if (!m_resized.empty())
            refuse("init.resize",
                   fmt::format("is false, and {} has other words or positions: {}", m_stored.origin,
                               listed(m_resized, "; ", kNamedTensors)),
                   fmt::format("set it to true, or model.vocabulary to {} and model.max_positions to {}",
                               m_stored.model.vocabulary, m_stored.model.maxPositions));
    }

    void compareOptimizers()
    {
        m_found.leavesOptimizer = m_stored.optimizer && !m_spec.init.optimizer;
        if (!m_spec.init.optimizer)
            return;
        if (!m_stored.optimizer)
            return refuse("init.optimizer",
                          fmt::format("is true, but {} holds weights alone", m_stored.origin),
                          "set it to false, or begin with a checkpoint of a run");
        require("optimizer.kind", nameOf(m_spec.optimizer.kind), nameOf(*m_stored.optimizer));
        loadStates();
    }

    /// Of every weight that is loaded and trained. New rows have no past, so that their state remains zero.
    void loadStates()
    {
        std::set<std::string> frozen;
        for (const ParameterSpec& parameter : modelParameters(m_spec.model)) {
            if (parameter.isFrozen)
                frozen.insert(parameter.name);
        }
        std::vector<WeightComparison::Loaded> weights = m_found.loaded;
        std::erase_if(weights, [&](const auto& weight) { return frozen.contains(plainName(weight.name)); });
        for (const std::string& prefix : statePrefixes(m_stored)) {
            for (const WeightComparison::Loaded& weight : weights)
                loadState(prefix + plainName(weight.name), weight);
        }
        std::ranges::sort(m_found.loaded, {}, &WeightComparison::Loaded::name);
        m_found.loadsOptimizer = true;
    }

    void loadState(const std::string& name, const WeightComparison::Loaded& weight)
    {
        const StoredTensor* stored = m_stored.find(name);
        if (stored && stored->shape == weight.stored && stored->holdsFloats())
            m_found.loaded.push_back({name, weight.shape, weight.stored});
        else
            m_different.push_back(fmt::format("{} should be {} as its weight there, and is {}", name,
                                              shapeText(weight.stored),
                                              stored ? shapeText(stored->shape) : "missing"));
    }

    const WeightDescription& m_stored;
    const RunSpec& m_spec;
    WeightComparison m_found;
    std::vector<std::string> m_different; // sentences
    std::vector<std::string> m_resized;   // that init.resize does not allow
};

/// "rows 128 to 511 of bert.embeddings.position_embeddings.weight", of the weights.
std::vector<std::string> rowsBeyond(const std::vector<WeightComparison::Loaded>& loaded,
                                    std::vector<std::int64_t> WeightComparison::Loaded::*longer,
                                    std::vector<std::int64_t> WeightComparison::Loaded::*shorter)
{
    std::vector<std::string> texts;
    for (const WeightComparison::Loaded& tensor : loaded) {
        if (!tensor.name.starts_with(kWeightPrefix) || tensor.shape == tensor.stored)
            continue;
        const std::int64_t first = (tensor.*shorter).front();
        const std::int64_t end = (tensor.*longer).front();
        if (first < end)
            texts.push_back(fmt::format("rows {} to {} of {}", first, end - 1, plainName(tensor.name)));
    }
    return texts;
}

} // namespace

const WeightComparison::Loaded* WeightComparison::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(loaded, name, {}, &Loaded::name);
    return found != loaded.end() && found->name == name ? &*found : nullptr;
}

std::int64_t WeightComparison::loadedWeights() const
{
    return std::ranges::count_if(loaded,
                                 [](const Loaded& tensor) { return tensor.name.starts_with(kWeightPrefix); });
}

std::int64_t WeightComparison::loadedParameters() const
{
    std::int64_t count = 0;
    for (const Loaded& tensor : loaded) {
        std::vector<std::int64_t> common = tensor.shape;
        if (!common.empty())
            common.front() = std::min(common.front(), tensor.stored.front());
        count += tensor.name.starts_with(kWeightPrefix) ? elementCount(common) : 0;
    }
    return count;
}

std::vector<std::pair<std::string, std::string>> WeightComparison::facts() const
{
    std::vector<std::string> atRandom = textsOf(drawn);
    std::ranges::move(rowsBeyond(loaded, &Loaded::shape, &Loaded::stored), std::back_inserter(atRandom));
    std::vector<std::string> leftOut = textsOf(left);
    std::ranges::move(rowsBeyond(loaded, &Loaded::stored, &Loaded::shape), std::back_inserter(leftOut));
    if (leavesOptimizer)
        leftOut.emplace_back("the optimizer's state");
    std::vector<std::pair<std::string, std::string>> facts;
    facts.emplace_back("loaded", fmt::format("{} tensors with {} parameters{}", loadedWeights(),
                                             formatNumber(static_cast<double>(loadedParameters())),
                                             loadsOptimizer ? " and the optimizer's state" : ""));
    if (!atRandom.empty())
        facts.emplace_back("drawn at random", listed(atRandom, ", "));
    if (!leftOut.empty())
        facts.emplace_back("left out", listed(leftOut, ", "));
    return facts;
}

bool WeightComparison::isPartial() const
{
    const auto isResized = [](const Loaded& tensor) { return tensor.shape != tensor.stored; };
    return !drawn.empty() || !left.empty() || std::ranges::any_of(loaded, isResized);
}

std::string WeightComparison::text() const
{
    std::string text = "begins with " + origin;
    for (const auto& [label, content] : facts())
        text += fmt::format("; {}: {}", label, content);
    return text;
}

WeightComparison compareWeights(const WeightDescription& stored, const RunSpec& spec)
{
    return Comparer(stored, spec).compare();
}

} // namespace trainyard
