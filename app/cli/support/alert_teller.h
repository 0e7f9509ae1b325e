#pragma once

#include <QList>
#include <QString>

#include "app/alerts/alert.h"
#include "app/runs/recorded_run.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// Says on the console what is wrong with a run that is followed: each trouble once when it begins, and that
/// it is over. By the rules and thresholds of the window.
class AlertTeller {
public:
    /// Without the run's folder or settings that can be read it goes by what is made.
    explicit AlertTeller(const QString& runId);

    void take(const QString& stream, const std::vector<Record>& records);
    void forget(const QString& stream);
    void setLink(LinkState state) { m_link = state; }
    /// Call it about once a second, from when the streams have caught up on.
    void tell();

private:
    RunFacts m_facts;
    RunSeries m_series;
    AlertThresholds m_thresholds;
    LinkState m_link = LinkState::Behind;
    QList<Alert> m_told;
};

} // namespace trainyard
