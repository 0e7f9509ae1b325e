#pragma once

#include <memory>

#include <QObject>

#include "app/base/latest_job.h"
#include "app/plan/planned_design.h"
#include "app/plan/scaling_outlook.h"
#include "engine/planner/time/step_timeline.h"

namespace trainyard {

/// What takes longer to work out than an edit may: the pipeline action by action, and how the design and the
/// one that is kept for comparison scale. All in other threads; while one edits on, only the newest design is
/// answered, and work on others is told to end. GUI thread.
class BackgroundPlan : public QObject {
    Q_OBJECT
public:
    using Timeline = Result<std::shared_ptr<const StepTimeline>>;
    using Outlook = Result<ScalingOutlook>;

    explicit BackgroundPlan(QObject* parent = nullptr);

    /// Requires a valid specification with a time.
    void setDesign(const PlannedDesign& design);
    /// What it is compared with; nothing, or one without a time = with no design.
    void setKept(const std::optional<PlannedDesign>& kept);
    void setScaling(Scaling scaling);
    /// Of the design, what is under way is dropped.
    void clear();

signals:
    void timelineReady(const trainyard::BackgroundPlan::Timeline& timeline);
    void outlookReady(const trainyard::BackgroundPlan::Outlook& outlook);
    void keptOutlookReady(const trainyard::BackgroundPlan::Outlook& outlook);

private:
    void predictScaling();
    void predictKept();

    PlannedDesign m_design;
    std::optional<PlannedDesign> m_kept;
    Scaling m_scaling = Scaling::Strong;
    LatestJob<Timeline> m_timeline;
    LatestJob<Outlook> m_outlook;
    LatestJob<Outlook> m_keptOutlook;
};

} // namespace trainyard
