#include "app/models/alternative_search.h"

#include <algorithm>

namespace trainyard {

namespace {

/// The specification without what a search decides and what it does not look at.
RunSpec searchedPart(const RunSpec& spec)
{
    RunSpec part;
    part.model = spec.model;
    part.cluster = spec.cluster;
    part.batch.global = spec.batch.global;
    part.batch.packing = spec.batch.packing;
    part.optimizer.kind = spec.optimizer.kind;
    part.precision.compute = spec.precision.compute;
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

} // namespace

AlternativeSearch::AlternativeSearch(QObject* parent)
    : QObject(parent)
    , m_job([this](const Answer& answer) { onAnswered(answer); },
            [this](double share) { emit progressed(share); })
{
}

void AlternativeSearch::setDesign(const PlannedDesign& design)
{
    m_design = design;
    m_found.setPresent(isOutdated() ? PlannedDesign() : design);
    emit stateChanged();
}

QString AlternativeSearch::obstacle() const
{
    return timeObstacle(m_design);
}

bool AlternativeSearch::isOutdated() const
{
    return m_found.rowCount() > 0 && searchedPart(m_design.spec) != m_searched;
}

void AlternativeSearch::start(SearchObjective objective)
{
    m_searched = searchedPart(m_design.spec);
    m_found.setLayouts({});
    m_job.start([request = requestFor(m_design, objective)](const auto& goesOn) mutable {
        request.goesOn = goesOn;
        return searchLayouts(request);
    });
    emit stateChanged();
}

void AlternativeSearch::cancel()
{
    m_job.cancel();
    emit stateChanged();
}

void AlternativeSearch::onAnswered(const Answer& answer)
{
    if (answer.ok()) {
        m_found.setLayouts(*answer);
        m_found.setPresent(isOutdated() ? PlannedDesign() : m_design);
    }
    emit stateChanged();
    if (!answer.ok())
        emit failed(answer.error());
}

} // namespace trainyard
