#pragma once

#include <chrono>
#include <optional>

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "remote/target/host_report.h"
#include "remote/target/target.h"

namespace trainyard {

/// Preflight of one host: opens its link, asks the agent, judges the answer. One object per check; start()
/// once.
class HostCheck : public QObject {
    Q_OBJECT

public:
    explicit HostCheck(Target& target, QObject* parent = nullptr);
    /// Also finishes (with a failed first row) when the host cannot be reached within `patience`.
    void start(std::chrono::milliseconds patience = std::chrono::seconds(30));

signals:
    void finished(const trainyard::HostReport& report);

private:
    void onState();
    void fail(const Error& error);
    void ping();
    void onPing(qint64 sentWallNs, const Result<QJsonObject>& reply);
    void probe();
    void finish(const HostReport& report);

    QPointer<Target> m_target;
    QTimer m_patience;
    int m_pingsLeft;
    std::optional<ClockReading> m_clock;
    bool m_asking = false;
    bool m_done = false;
};

} // namespace trainyard
