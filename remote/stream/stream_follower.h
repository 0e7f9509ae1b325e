#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QJsonObject>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include "engine/records/record.h"
#include "remote/stream/stream_mirror.h"
#include "remote/target/read_file.h"

namespace trainyard {

/// Follows one stream of one run on one host: replays the mirror, verifies that the host still has the same
/// journal, tails it from the mirror's end, and repeats that after every lost connection.
class StreamFollower : public QObject {
    Q_OBJECT

public:
    StreamFollower(const QString& runId, const QString& stream, Target& target, StreamMirror mirror);
    ~StreamFollower() override;

    void start();
    /// Bytes of the journal whose records have been emitted.
    std::uint64_t bytesFollowed() const { return m_mirror.replayed() ? m_mirror.validBytes() : 0; }

    /// Where these records end in the mirror.
    JournalEnd mirrorEnd() const { return m_mirror.end(); }

signals:
    void recordsArrived(const std::vector<trainyard::Record>& records);
    void restarted();
    void problem(const trainyard::Error& error);

private:
    void replay();
    void onState();
    void compare();
    void onCompared(const Result<FilePiece>& theirs);
    void tail();
    void onChunk(const QByteArray& bytes);
    void onTailEnded(const Result<QJsonObject>& reply);
    void startAgain();
    void reportWriteError();

    QString m_runId;
    QString m_stream;
    QPointer<Target> m_target;
    StreamMirror m_mirror;
    QTimer m_retry;
    Target::CallId m_call = 0; ///< the open request; 0 = none
    bool m_writeErrorTold = false;
    bool m_stopped = false; ///< the host's journal is damaged
};

} // namespace trainyard
