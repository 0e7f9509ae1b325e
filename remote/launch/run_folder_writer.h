#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/target/target.h"

namespace trainyard {

/// Brings files into a run's directory on a host, one after the other, whatever they come from: asks what the
/// host has of them (`have`), sends the rest (`put`), moves each into the run (`place`). The host checks
/// their hashes. A broken connection is waited for, and resumes after the last verified MiB. GUI thread.
class RunFolderWriter : public QObject {
    Q_OBJECT

signals:
    void progress(qint64 bytes, qint64 total);
    /// Exactly once.
    void finished(const trainyard::Status& result);

protected:
    struct File {
        QString path; ///< in the run's directory, plain names: "weights/config.json"
        QString sha256;
        qint64 bytes = 0;
    };

    RunFolderWriter(QString runId, QObject* parent) : QObject(parent), m_runId(std::move(runId)) {}

    const QString& runId() const { return m_runId; }
    virtual Target& goal() const = 0;
    /// After a broken connection, before write().
    virtual void startAgain() = 0;
    /// Sends the file from an offset on; then onSent().
    virtual void send(const File& file, qint64 offset) = 0;

    void write(QList<File> files);
    /// Counted from the start of the file.
    void onAcknowledged(qint64 bytes);
    void onSent(const File& file, const Status& result);
    void fail(const Error& error);
    void finish(const Status& result);

private:
    void next();
    void askForBytes(const File& file);
    void place(const File& file);

    QString m_runId;
    QList<File> m_files; ///< that are still to be sent
    qint64 m_done = 0;   ///< bytes of files that are there
    qint64 m_total = 0;
    int m_failures = 0; ///< broken links since the last byte
    bool m_ended = false;
};

} // namespace trainyard
