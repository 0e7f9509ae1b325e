#pragma once

#include <chrono>
#include <optional>

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "remote/preflight/engine_needs.h"
#include "remote/preflight/host_report.h"
#include "remote/target/target.h"

namespace trainyard {

/// Preflight of one host: opens its link, asks the agent, evaluates the answer. One object per check; start()
/// once. Destroying it ends the check.
class HostCheck : public QObject {
    Q_OBJECT

public:
    explicit HostCheck(Target& target, EngineNeeds engine = needsOfDesk(), QObject* parent = nullptr);
    /// Also finishes (with a failed first row) when the host cannot be reached, or when nothing happens for
    /// `patience`.
    void start(std::chrono::milliseconds patience = std::chrono::seconds(30));

signals:
    void finished(const trainyard::HostReport& report);

private:
    void onState();
    void fail(const Error& error);
    void ping();
    void onPing(qint64 sentWallNs, const Result<QJsonObject>& reply);
    void measureUpload(qint64 bytes);
    void onUploaded(qint64 bytes, qint64 nanoseconds, const Result<QJsonObject>& reply);
    void findEngine();
    void probe();
    void finish(const HostReport& report);

    QPointer<Target> m_target;
    EngineNeeds m_engine;
    QTimer m_patience;
    int m_pingsLeft;
    std::optional<ClockReading> m_clock;
    LinkFacts m_link;
    bool m_asking = false;
    bool m_done = false;
};

} // namespace trainyard
