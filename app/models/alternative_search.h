#pragma once

#include <QObject>

#include "app/models/alternative_list_model.h"
#include "app/models/latest_job.h"
#include "engine/planner/search/layout_search.h"

namespace trainyard {

/// Searches better layouts for the design that is being edited, in another thread. What is found stays listed
/// while only the layout is edited, and is compared with every edit of it; it is outdated once something else
/// changes that the search went by. GUI thread.
class AlternativeSearch : public QObject {
    Q_OBJECT
public:
    explicit AlternativeSearch(QObject* parent = nullptr);

    AlternativeListModel& found() { return m_found; }
    void setDesign(const PlannedDesign& design);

    /// Why nothing can be searched; empty = it can.
    QString obstacle() const;
    bool isRunning() const { return m_job.isRunning(); }
    /// What is listed was found for another model, batch or cluster.
    bool isOutdated() const;

    /// Requires no obstacle(). A search under way is dropped.
    void start(SearchObjective objective);
    void cancel();

signals:
    /// Any of the above, but for what is in found().
    void stateChanged();
    void progressed(double share); ///< 0..1
    void failed(const trainyard::Error& error);

private:
    using Answer = Result<std::vector<FoundLayout>>;
    void onAnswered(const Answer& answer);

    PlannedDesign m_design;
    RunSpec m_searched; ///< what is listed was found for this
    AlternativeListModel m_found;
    LatestJob<Answer> m_job;
};

} // namespace trainyard
