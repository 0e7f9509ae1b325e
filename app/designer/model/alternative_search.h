#pragma once

#include <QObject>

#include "app/base/latest_job.h"
#include "app/designer/model/alternative_list_model.h"
#include "engine/planner/search/layout_search.h"

namespace trainyard {

/// Searches better layouts for the design that is being edited, in another thread; on nodes that differ those
/// for the governing one, each then timed on the nodes themselves. What is found stays listed until another
/// search has found something, and is compared with every edit of the layout; it is outdated once something
/// else changes that the search went by. GUI thread.
class AlternativeSearch : public QObject {
    Q_OBJECT
public:
    explicit AlternativeSearch(QObject* parent = nullptr);

    AlternativeListModel& found() { return m_found; }
    void setDesign(const PlannedDesign& design);

    /// Why nothing can be searched; empty = it can.
    QString obstacle() const;
    bool isRunning() const { return m_job.isRunning(); }
    /// What is listed was found for another model, batch, cluster or sequence length.
    bool isOutdated() const;

    /// Requires no obstacle(). A search under way is dropped; what was found before stays listed.
    void start(SearchObjective objective);
    void cancel();

signals:
    /// Any of the above, but for what is in found().
    void stateChanged();
    void progressed(double share); ///< 0..1
    void failed(const trainyard::Error& error);

private:
    using Answer = Result<std::vector<FoundLayout>>;
    /// What a search goes by: a design without what it decides.
    struct Question {
        RunSpec spec;
        SequenceShape shape;
        NodeModel node;
        std::shared_ptr<const std::vector<NodeModel>> unequal; ///< as PlannedTime has them

        bool operator==(const Question& other) const;
    };
    Question question() const;
    void onAnswered(const Answer& answer);

    PlannedDesign m_design;
    Question m_asked;    ///< by the search that is under way
    Question m_answered; ///< by what is listed
    AlternativeListModel m_found;
    LatestJob<Answer> m_job;
};

} // namespace trainyard
