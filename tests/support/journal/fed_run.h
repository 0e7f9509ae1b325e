#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "engine/records/journal.h"
#include "remote/stream/run_follower.h"

namespace trainyard::support {

/// The request `create-run` for a small training run on one host.
QJsonObject createRunRequest(const QString& runId);

/// A run without a worker: the test itself appends to the journals of its directory, as rank 0 and the
/// supervisor would.
class FedRun {
public:
    /// `folder` = the run's directory, as this process reaches it.
    explicit FedRun(const QString& folder) : m_journal((folder + "/journal").toStdString()) {}

    void steps(int count);
    /// The next step every `interval`, until pause().
    void feedEvery(std::chrono::milliseconds interval);
    void pause() { m_timer.stop(); }
    void state(RunState state, const std::string& reason = {});
    /// Of the supervisor.
    void event(const std::string& kind);
    /// What comes now belongs to the next attempt.
    void resume();
    /// The beginning of a record, as a writer leaves it that is killed while it writes.
    void tear(const std::string& stream);
    int written() const { return m_written; }

private:
    JournalWriter& writer(const std::string& stream);

    std::filesystem::path m_journal;
    std::map<std::string, std::unique_ptr<JournalWriter>> m_writers;
    QTimer m_timer;
    int m_written = 0;
    std::uint32_t m_attempt = 1;
};

/// Counts what a follower hands out: sequence numbers must be 1, 2, 3, ... in every stream.
class RecordLedger : public QObject {
public:
    explicit RecordLedger(RunFollower& follower);

    std::uint64_t count(const QString& stream) const { return m_last.value(stream); }
    /// Empty when no record was missing, doubled or out of order.
    QString complaints() const { return m_complaints.join("; "); }

private:
    QMap<QString, quint64> m_last;
    QStringList m_complaints;
};

} // namespace trainyard::support
