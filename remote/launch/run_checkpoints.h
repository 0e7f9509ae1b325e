#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

/// A checkpoint of a run, as its hosts hold it together.
struct RunCheckpoint {
    qint64 step = 0;
    QString folder;
    /// "whole", "damaged", "unreadable", "incomplete": hosts that did not answer may have the rest,
    /// "abandoned": of a line that the run has left.
    QString state;
    QString reason;        ///< why it is not complete, or which line it is of; which hosts did not answer
    qint64 bytes = 0;      ///< on all hosts
    bool verified = false; ///< compared with its hashes
    bool latest = false;   ///< `latest` names it
    bool best = false;     ///< `best` names it: the lowest loss or highest accuracy on held-out rows
    bool next = false;     ///< a resume takes it
};

/// The answer of one host to `checkpoints`.
struct HostCheckpoints {
    QString host;
    QJsonObject reply;
};

/// The checkpoints of a run, newest step first: those that the head lists, with the shards of all hosts, and
/// newer ones that only other hosts know. A manifest that is damaged on the head is read where it is whole,
/// as a start does (engine/checkpoint/format/store_agreement.h). `answers`: the head's first; `silent`: hosts
/// that did not answer.
QList<RunCheckpoint> checkpointsTogether(const QList<HostCheckpoints>& answers, const QStringList& silent);

} // namespace trainyard
