#pragma once

#include <QObject>

#include "app/base/pool_work.h"
#include "app/designer/model/alternative_list_model.h"
#include "engine/planner/search/layout_search.h"

namespace trainyard {

/// Searches better layouts for the edited design in another thread. For unequal nodes it searches with the
/// governing one and times each result on the real nodes. Results stay listed until another search has
/// results, and are compared with every edit of the layout; they are outdated once another input of the
/// search changes. GUI thread.
class LayoutAlternatives : public QObject {
    Q_OBJECT
public:
    explicit LayoutAlternatives(QObject* parent = nullptr);

    AlternativeListModel& found() { return m_found; }
    void setDesign(const PlannedDesign& design);

    /// Returns why no search is possible; empty = possible.
    QString obstacle() const;
    bool isRunning() const { return m_job.isRunning(); }
    /// Whether the results are for another model, batch, cluster or sequence length.
    bool isOutdated() const;

    /// Requires no obstacle(). Cancels a running search and keeps the results listed.
    void start(SearchObjective objective);
    void cancel();

signals:
    /// Any of the above changed, except the contents of found().
    void stateChanged();
    void progressed(double share); ///< 0..1
    void failed(const trainyard::Error& error);

private:
    using Answer = Result<std::vector<FoundLayout>>;
    /// The inputs of a search: a design without the fields that it decides.
    struct Question {
        RunSpec spec;
        SequenceShape shape;
        NodeModel node;
        std::shared_ptr<const std::vector<NodeModel>> unequal; ///< as in PlannedTime

        bool operator==(const Question& other) const;
    };
    Question question() const;
    void onAnswered(const Answer& answer);

    PlannedDesign m_design;
    Question m_asked;    ///< inputs of the running search
    Question m_answered; ///< inputs of the listed results
    AlternativeListModel m_found;
    LatestJob<Answer> m_job;
};

} // namespace trainyard
