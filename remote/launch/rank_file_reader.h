#pragma once

#include <memory>

#include <QByteArray>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/target/host_group.h"
#include "remote/target/read_file.h"

namespace trainyard {

/// A piece of a log and its place in the file, so that a reader of the log's end can continue from there.
struct LogPiece {
    qint64 offset = 0; ///< of the first byte
    QByteArray bytes;
};

/// Reads a piece of a file that one rank writes, `ranks/NNNN.<extension>`, its log or its flight ring, from
/// the rank's host. Deletes itself after finished().
class RankFileReader : public QObject {
    Q_OBJECT

public:
    RankFileReader(const QString& runId, int rank, const QString& extension, TargetPool& targets,
                   QObject* parent);
    /// A negative offset counts from the end.
    void start(qint64 offset, qint64 limit);

signals:
    void finished(const trainyard::Result<LogPiece>& result);

private:
    Result<QString> hostOfRank() const;
    void readFrom(qint64 offset, qint64 limit);
    void request(qint64 offset, qint64 limit, std::function<void(const FilePiece&)> done);
    void finish(const Result<LogPiece>& result);

    QString m_runId;
    int m_rank;
    QString m_extension;
    TargetPool& m_targets;
    std::unique_ptr<HostGroup> m_group;
};

} // namespace trainyard
