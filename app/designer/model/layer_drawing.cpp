#include "app/designer/model/layer_drawing.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>

#include <QObject>

#include "app/base/display_text.h"
#include "app/designer/model/layer_facts.h"
#include "engine/model/adapter_names.h"
#include "engine/model/model_family.h"
#include "engine/model/model_parameters.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

using Kind = DrawnBox::Kind;

std::int64_t productOf(const std::vector<std::int64_t>& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t sumOf(const std::vector<DrawnBox>& boxes)
{
    return std::accumulate(boxes.begin(), boxes.end(), std::int64_t{0},
                           [](std::int64_t sum, const DrawnBox& box) { return sum + box.allParameters(); });
}

/// Whether the tensor is that of a product or norm, or itself of that name.
bool belongsTo(const std::string& tensor, const std::string& part)
{
    return !part.empty() && tensor.starts_with(part) &&
           (tensor.size() == part.size() || tensor[part.size()] == '.');
}

/// Makes the boxes of a model from the list of its tensors.
class BoxMaker {
public:
    explicit BoxMaker(const ModelSpec& model) : m_model(model), m_all(modelParameters(model)) {}

    DrawnBox embedding() const
    {
        return {Kind::Embedding, QObject::tr("Embedding"), embeddingFacts(m_model), 1,
                tensorsOf(kEmbeddingsPart)};
    }

    std::vector<DrawnBox> head() const
    {
        const std::string finalNorm = headNames(m_model).finalNorm;
        std::vector<DrawnBox> boxes;
        DrawnBox head{Kind::Head, QObject::tr("Head"), headFacts(m_model), 1, tensorsOf(m_model.layers)};
        if (m_model.hasFinalNorm()) {
            DrawnBox norm{Kind::Norm, QObject::tr("Final %1").arg(normName(m_model)), normFacts(m_model), 1,
                          tensorsOf(m_model.layers, {finalNorm})};
            std::erase_if(head.tensors, [&](const DrawnTensor& tensor) {
                return belongsTo(tensor.name.toStdString(), finalNorm);
            });
            boxes.push_back(std::move(norm));
        }
        boxes.push_back(std::move(head));
        return boxes;
    }

    std::vector<DrawnBranch> branches() const
    {
        const DrawnLane attention = attentionLane();
        std::vector<DrawnLane> others = feedForwardLanes();
        if (!m_model.parallelResidual)
            return {{{attention}, normOnResidual(&LayerNames::attentionNorms)},
                    {std::move(others), normOnResidual(&LayerNames::feedForwardNorms)}};
        others.insert(others.begin(), attention);
        return {{std::move(others), {}}};
    }

private:
    using Norms = BranchNorms LayerNames::*;

    /// A layer, and how many are like it.
    struct Layers {
        int first = 0;
        int count = 0;
    };

    Layers allLayers() const { return {0, m_model.layers}; }

    Layers layersWithExperts(bool withExperts) const
    {
        Layers found;
        for (int layer = m_model.layers - 1; layer >= 0; --layer) {
            if (m_model.hasExperts(layer) == withExperts)
                found = {layer, found.count + 1};
        }
        return found;
    }

    DrawnBox box(Kind kind, const QString& title, const QStringList& facts, Layers layers,
                 const std::vector<std::string>& names) const
    {
        DrawnBox box{kind, title, facts, layers.count, tensorsOf(layers.first, names)};
        if (std::ranges::any_of(box.tensors, [](const DrawnTensor& tensor) {
                return isOfAdapter(tensor.name.toStdString());
            }))
            box.facts << QObject::tr("adapters of rank %1").arg(displayCount(m_model.lora.rank));
        return box;
    }

    DrawnBox norm(const std::string& name, Layers layers, const QStringList& facts = {}) const
    {
        return box(Kind::Norm, normName(m_model), normFacts(m_model) + facts, layers, {name});
    }

    void addNormBefore(DrawnLane& lane, Norms norms, Layers layers) const
    {
        QStringList facts;
        if (norms == &LayerNames::attentionNorms && !m_model.firstLayerNorm) {
            layers = {1, layers.count - 1};
            facts << QObject::tr("not in the first layer");
        }
        if (layers.count < 1)
            return;
        if (const auto names = layerNames(m_model, layers.first).*norms; !names.before.empty())
            lane.boxes.push_back(norm(names.before, layers, facts));
    }

    void addNormBehind(DrawnLane& lane, Norms norms, Layers layers) const
    {
        const auto names = layerNames(m_model, layers.first).*norms;
        if (m_model.norm != NormPlacement::Post && !names.behind.empty())
            lane.boxes.push_back(norm(names.behind, layers));
    }

    std::vector<DrawnBox> normOnResidual(Norms norms) const
    {
        if (m_model.norm != NormPlacement::Post)
            return {};
        return {norm((layerNames(m_model, 0).*norms).behind, allLayers())};
    }

    DrawnLane attentionLane() const
    {
        const LayerNames names = layerNames(m_model, 0);
        const auto& [query, key, value] = names.queryKeyValue;
        DrawnLane lane;
        addNormBefore(lane, &LayerNames::attentionNorms, allLayers());
        lane.boxes.push_back(box(Kind::Attention, QObject::tr("Attention"), attentionFacts(m_model),
                                 allLayers(),
                                 {query, key, value, names.queryNorm, names.keyNorm, names.attentionOutput}));
        addNormBehind(lane, &LayerNames::attentionNorms, allLayers());
        return lane;
    }

    /// Which layers a lane is of, where the others have another one.
    QStringList placeFacts(Layers layers) const
    {
        if (layers.count == m_model.layers)
            return {};
        return {
            QObject::tr("in %1 of %2 layers").arg(displayCount(layers.count), displayCount(m_model.layers))};
    }

    DrawnLane feedForwardLane(Layers layers) const
    {
        const LayerNames names = layerNames(m_model, layers.first);
        DrawnLane lane;
        addNormBefore(lane, &LayerNames::feedForwardNorms, layers);
        lane.boxes.push_back(box(Kind::FeedForward, QObject::tr("Feed-forward"),
                                 feedForwardFacts(m_model) + placeFacts(layers), layers,
                                 {names.feedForwardGate, names.feedForwardIn, names.feedForwardOut}));
        addNormBehind(lane, &LayerNames::feedForwardNorms, layers);
        return lane;
    }

    DrawnLane expertLane(Layers layers) const
    {
        const LayerNames names = layerNames(m_model, layers.first);
        DrawnLane lane;
        addNormBefore(lane, &LayerNames::feedForwardNorms, layers);
        lane.boxes.push_back(box(Kind::Router, QObject::tr("Router"),
                                 routerFacts(m_model) + placeFacts(layers), layers, {names.router}));
        DrawnBox experts = box(Kind::Experts, QObject::tr("Experts"), expertFacts(m_model), layers,
                               {names.expertsIn, names.expertsOut});
        for (DrawnTensor& tensor : experts.tensors) { // the rows of all experts stand below each other
            tensor.shape.front() /= m_model.experts.count;
            tensor.shape.insert(tensor.shape.begin(), m_model.experts.count);
        }
        lane.boxes.push_back(std::move(experts));
        addNormBehind(lane, &LayerNames::feedForwardNorms, layers);
        return lane;
    }

    std::vector<DrawnLane> feedForwardLanes() const
    {
        const Layers withExperts = layersWithExperts(true);
        const Layers without = layersWithExperts(false);
        std::vector<DrawnLane> lanes;
        if (withExperts.count > 0)
            lanes.push_back(expertLane(withExperts));
        if (without.count > 0)
            lanes.push_back(feedForwardLane(without));
        lanes.back().isAlternative = lanes.size() > 1;
        return lanes;
    }

    std::vector<DrawnTensor> tensorsOf(int part, const std::vector<std::string>& names = {}) const
    {
        std::vector<DrawnTensor> tensors;
        for (const ParameterSpec& spec : m_all) {
            const bool isWanted = names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
                                      return belongsTo(spec.name, name);
                                  });
            if (spec.part == part && isWanted)
                tensors.push_back({QString::fromStdString(spec.name), spec.shape, productOf(spec.shape)});
        }
        return tensors;
    }

    const ModelSpec& m_model;
    std::vector<ParameterSpec> m_all;
};

} // namespace

std::int64_t DrawnBox::parameters() const
{
    return std::accumulate(
        tensors.begin(), tensors.end(), std::int64_t{0},
        [](std::int64_t sum, const DrawnTensor& tensor) { return sum + tensor.parameters; });
}

std::vector<const DrawnBox*> LayerDrawing::boxes() const
{
    std::vector<const DrawnBox*> all;
    const auto add = [&all](const std::vector<DrawnBox>& some) {
        for (const DrawnBox& box : some)
            all.push_back(&box);
    };
    add(before);
    for (const DrawnBranch& branch : branches) {
        for (const DrawnLane& lane : branch.lanes)
            add(lane.boxes);
        add(branch.afterSum);
    }
    add(behind);
    return all;
}

std::int64_t LayerDrawing::layerParameters() const
{
    std::int64_t sum = 0;
    for (const DrawnBranch& branch : branches) {
        for (const DrawnLane& lane : branch.lanes)
            sum += sumOf(lane.boxes);
        sum += sumOf(branch.afterSum);
    }
    return sum;
}

LayerDrawing drawLayer(const ModelSpec& model)
{
    const BoxMaker maker(model);
    return {{maker.embedding()},
            maker.branches(),
            maker.head(),
            model.layers,
            parameterCount(model),
            activeParameterCount(model),
            trainedParameterCount(model)};
}

Diagnostics modelProblems(const ModelSpec& model)
{
    RunSpec spec;
    spec.model = model;
    Diagnostics problems = validate(spec);
    std::erase_if(problems, [](const Diagnostic& problem) {
        constexpr std::array<std::string_view, 3> kSections{"model", "task", "lora"};
        const std::string_view section = std::string_view(problem.path).substr(0, problem.path.find('.'));
        return std::ranges::find(kSections, section) == kSections.end();
    });
    return problems;
}

} // namespace trainyard
