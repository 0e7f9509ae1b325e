#pragma once

#include <map>

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QPointer>

#include "remote/target/target.h"

namespace trainyard {

/// Streams one file of a run's directory from one host into the store of another (`read` here, `put` there),
/// from an offset on. Requests no more than `put` allows in flight.
class FileRelay : public QObject {
    Q_OBJECT

public:
    struct File {
        QJsonObject read; ///< the request without offset and limit
        QString sha256;
        qint64 bytes = 0;
        qint64 offset = 0;
    };
    FileRelay(Target& from, Target& to, File file);
    ~FileRelay() override;

    void start();

signals:
    /// Bytes of the file that the other host has written, counted from its start.
    void acknowledged(qint64 bytes);
    void finished(const trainyard::Status& result);

private:
    void askForMore();
    void onPiece(qint64 offset, const QByteArray& bytes);
    void finish(const Status& result);

    QPointer<Target> m_from;
    QPointer<Target> m_to;
    File m_file;
    Target::CallId m_put = 0;
    qint64 m_asked;                         ///< up to here
    qint64 m_sent;                          ///< up to here
    qint64 m_received;                      ///< up to here, as the other host says
    std::map<qint64, QByteArray> m_arrived; ///< before their turn, by offset
    bool m_ended = false;
};

} // namespace trainyard
