#pragma once

#include <fstream>
#include <functional>

#include <QObject>
#include <QPointer>

#include "remote/deploy/bundle.h"
#include "remote/target/target.h"

namespace trainyard {

/// Sends one file from an offset to the end (op `put`). Its parent link may break: finished() then says
/// Unreachable, and another upload goes on from what the host verified.
class BlobUpload : public QObject {
    Q_OBJECT

public:
    BlobUpload(Target& target, const BundleEntry& file, std::uint64_t offset);
    ~BlobUpload() override;

    void start();
    /// Gives up; nothing is emitted any more.
    void stop();

signals:
    /// Bytes that the host has written, counted from the file's start.
    void acknowledged(qint64 bytes);
    void finished(const trainyard::Status& result);

private:
    void sendMore();
    void onInterim(const QJsonObject& message);
    void onDone(const Result<QJsonObject>& reply);
    void finish(const Status& result);

    QPointer<Target> m_target;
    const BundleEntry& m_file;
    const std::uint64_t m_offset;
    std::uint64_t m_sent = 0;     ///< since m_offset
    std::uint64_t m_received = 0; ///< since m_offset, as the host acknowledged
    std::ifstream m_source;
    Target::CallId m_call = 0;
};

} // namespace trainyard
