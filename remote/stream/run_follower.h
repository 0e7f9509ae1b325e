#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "engine/records/journal.h"
#include "remote/target/target_pool.h"

namespace trainyard {

class AttemptMirror;
class StreamFollower;

/// State of the connection to a run.
enum class LinkState {
    Live,   ///< what arrives is what happens now
    Behind, ///< connected, catching up
    Lost,   ///< the head cannot be reached; the run goes on without us
};

/// Follows one run: keeps a byte-for-byte mirror of each of its streams in the local data folder and emits
/// the records, each exactly once per follower, in order of their stream, across lost connections and
/// restarts. Stores the newest attempt's request as well. The streams `steps`, `run` and `prepare` come from
/// the first host, `node-<n>` from host n.
///
/// start() first replays the mirror, so that a page opened later sees the whole run, and then continues after
/// the mirror's end. Emits finished() after the run's end when everything has arrived; a resumed run is
/// followed further, and finished() is emitted again at its next end. GUI thread.
class RunFollower : public QObject {
    Q_OBJECT

public:
    /// `hosts` by the number of their stream, the head first. `mirrorFolder` empty = the local folder of that
    /// run. The pool must outlive it.
    RunFollower(const QString& runId, const QStringList& hosts, TargetPool& targets,
                const QString& mirrorFolder = {}, QObject* parent = nullptr);
    ~RunFollower() override;

    QString runId() const { return m_runId; }
    const QStringList& hosts() const { return m_hosts; }
    LinkState linkState() const { return m_link; }
    /// The head has listed its streams, and all records that it had then have arrived.
    bool caughtUp() const { return m_headAnswered && everythingIsHere(); }
    /// Returns the end, in the mirror, of the records of this stream that have arrived.
    JournalEnd mirrorEnd(const QString& stream) const;
    /// How often the hosts are asked for their streams and sizes, until the run ends; 2 s unless set before
    /// start().
    void setLookInterval(std::chrono::milliseconds interval) { m_interval = interval; }
    /// From now on records are emitted, from the event loop.
    void start();

signals:
    void recordsArrived(const QString& stream, const std::vector<trainyard::Record>& records);
    void linkChanged(trainyard::LinkState state);
    /// The host's stream is not the mirrored one: the old mirror is kept as `<stream>.orig`, and the records
    /// come again from the first one. Views drop their records of this stream.
    void streamRestarted(const QString& stream);
    /// The newest attempt's request is in the mirror's folder, in the file that AttemptMirror names.
    void attemptArrived(std::uint32_t attempt);
    /// A mirror cannot be written, or a stream is damaged: following continues as far as it can.
    void problem(const trainyard::Error& error);
    /// The run has ended and every record has arrived.
    void finished();

private:
    void onTargetState(int node);
    void lookForStreams();
    void onStreams(int node, const QJsonObject& reply);
    bool belongsTo(int node, const QString& stream) const;
    std::size_t mostStreams() const;
    void follow(int node, const QString& stream);
    void followMirrored();
    void onRecords(const QString& stream, const std::vector<Record>& records);
    void onWordOfSupervisor(const Record& record);
    void updateLink();
    void paceLooks();
    bool everythingIsHere() const;
    bool isOver() const;

    QString m_runId;
    QStringList m_hosts;
    TargetPool& m_targets;
    std::filesystem::path m_folder;
    LinkState m_link = LinkState::Lost;
    std::chrono::milliseconds m_interval;
    QTimer m_look;
    std::map<QString, std::unique_ptr<StreamFollower>> m_streams;
    std::unique_ptr<AttemptMirror> m_attempts;    ///< from start() on
    std::set<QString> m_unwritable;               ///< streams whose mirror cannot be opened
    std::map<QString, std::uint64_t> m_hostBytes; ///< of each stream, when the host was asked last
    std::optional<RunState> m_state;              ///< as the last record of stream "run" says
    int m_looksSinceFinal = 0;                    ///< the host was asked so often since, without new records
    bool m_headAnswered = false;
    bool m_finished = false;
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::LinkState)
