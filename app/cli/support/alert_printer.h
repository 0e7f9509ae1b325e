#pragma once

#include <QList>
#include <QString>

#include "app/alerts/alert.h"
#include "app/runs/recorded_run.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// Prints the alerts of a followed run: once when one begins, and once when it is resolved. Uses the rules and
/// thresholds of the window.
class AlertPrinter {
public:
    /// Falls back to defaults if the run's folder or the settings cannot be read.
    explicit AlertPrinter(const QString& runId);

    void take(const QString& stream, const std::vector<Record>& records);
    void forget(const QString& stream);
    void setLink(LinkState state) { m_link = state; }
    /// Call it about once a second after the streams have caught up.
    void print();

private:
    RunFacts m_facts;
    RunSeries m_series;
    AlertThresholds m_thresholds;
    LinkState m_link = LinkState::Behind;
    QList<Alert> m_printed;
};

} // namespace trainyard
