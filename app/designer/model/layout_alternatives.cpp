#include "app/designer/model/layout_alternatives.h"

#include <algorithm>

#include "app/plan/heterogeneous_step_time.h"
#include "engine/planner/search/layout_ranking.h"

namespace trainyard {

namespace {

/// Returns the part of the specification that is an input of the search.
RunSpec searchedPart(const RunSpec& spec)
{
    RunSpec part;
    part.model = spec.model;
    part.cluster = spec.cluster;
    for (NodeSpec& node : part.cluster.nodes)
        node.host.clear();
    part.layout.bucketSize = spec.layout.bucketSize;
    part.memory.offloadHorizon = spec.memory.offloadHorizon;
    part.batch.global = spec.batch.global;
    part.batch.packing = spec.batch.packing;
    part.optimizer.kind = spec.optimizer.kind;
    part.optimizer.momentum = spec.optimizer.momentum;
    part.precision.compute = spec.precision.compute;
    part.checkpoint.asynchronous = spec.checkpoint.asynchronous && spec.checkpoint.everySteps > 0;
    part.launch.device = spec.launch.device;
    return part;
}

SearchRequest requestFor(const PlannedDesign& design, SearchObjective objective)
{
    SearchRequest request;
    request.spec = design.spec;
    request.shape = design.shape;
    request.node = design.time().node;
    request.nodes = std::max(1, design.spec.cluster.totalSlots() / std::max(1, request.node.devices));
    request.objective = objective;
    return request;
}

/// Times the layouts on unequal nodes, where each stage is timed on its own nodes.
Status timeOnNodes(const PlannedDesign& design, SearchObjective objective, std::vector<FoundLayout>& layouts)
{
    for (FoundLayout& layout : layouts) {
        TRAINYARD_TRY(layout.time, stepTimeOn(design.time(), layout.spec, design.shape));
        layout.sequencesPerSecond = layout.spec.batch.global / layout.time.seconds;
        const double perSecond = pricePerHourOn(design.time(), layout.spec) / 3600;
        layout.costPerMillionSequences = 1e6 * perSecond / layout.sequencesPerSecond;
    }
    rank(layouts, objective);
    return {};
}

Result<std::vector<FoundLayout>> searchFor(const PlannedDesign& design, const SearchRequest& request)
{
    TRAINYARD_TRY(std::vector<FoundLayout> layouts, searchLayouts(request));
    if (design.time().unequal)
        TRAINYARD_TRY_STATUS(timeOnNodes(design, request.objective, layouts));
    return layouts;
}

} // namespace

bool LayoutAlternatives::Question::operator==(const Question& other) const
{
    const bool sameNodes = unequal && other.unequal ? *unequal == *other.unequal : unequal == other.unequal;
    return spec == other.spec && shape.length == other.shape.length &&
           shape.maxPredictions == other.shape.maxPredictions && node == other.node && sameNodes;
}

LayoutAlternatives::LayoutAlternatives(QObject* parent)
    : QObject(parent)
    , m_job([this](const Answer& answer) { onAnswered(answer); },
            [this](double share) { emit progressed(share); })
{
}

void LayoutAlternatives::setDesign(const PlannedDesign& design)
{
    m_design = design;
    m_found.setPresent(isOutdated() ? PlannedDesign() : design);
    emit stateChanged();
}

QString LayoutAlternatives::obstacle() const
{
    return timeObstacleInShort(m_design);
}

LayoutAlternatives::Question LayoutAlternatives::question() const
{
    Question question{searchedPart(m_design.spec), m_design.shape, {}, {}};
    if (m_design.hasTime()) {
        question.node = m_design.time().node;
        question.unequal = m_design.time().unequal;
    }
    return question;
}

bool LayoutAlternatives::isOutdated() const
{
    return m_found.rowCount() > 0 && question() != m_answered;
}

void LayoutAlternatives::start(SearchObjective objective)
{
    m_asked = question();
    m_job.start([design = m_design, request = requestFor(m_design, objective)](const auto& goesOn) mutable {
        request.goesOn = goesOn;
        return searchFor(design, request);
    });
    emit stateChanged();
}

void LayoutAlternatives::cancel()
{
    m_job.cancel();
    emit stateChanged();
}

void LayoutAlternatives::onAnswered(const Answer& answer)
{
    if (answer.ok()) {
        m_answered = m_asked;
        m_found.setLayouts(*answer);
        m_found.setPresent(isOutdated() ? PlannedDesign() : m_design);
    }
    emit stateChanged();
    if (!answer.ok())
        emit failed(answer.error());
}

} // namespace trainyard
