#pragma once

#include <fstream>

#include <QObject>
#include <QPointer>

#include "remote/deploy/bundle.h"
#include "remote/target/target.h"

namespace trainyard {

/// Uploads one file from an offset to the end (op `put`), within the budget that its owner grants. When the
/// connection breaks, finished() reports Unreachable, and another upload resumes after the bytes verified by
/// the host.
class BlobUpload : public QObject {
    Q_OBJECT

public:
    BlobUpload(Target& target, const BundleEntry& file, std::uint64_t offset);
    ~BlobUpload() override;

    const BundleEntry& file() const { return m_file; }
    /// Announces the file; send() sends it.
    void start();
    /// Sends whole chunks (the last one may be shorter) of at most `room` bytes in total; returns the number
    /// of bytes sent.
    std::uint64_t send(std::uint64_t room);
    /// Bytes sent that the host has not acknowledged.
    std::uint64_t underWay() const { return m_sent - m_received; }
    /// Bytes that the host has not acknowledged, whether sent or not.
    std::uint64_t left() const { return m_file.size - m_offset - m_received; }
    /// Aborts; emits nothing any more.
    void stop();

signals:
    /// The host has written this many more bytes.
    void acknowledged(qint64 bytes);
    /// Once: the whole file is stored and verified, or the error.
    void finished(const trainyard::Status& result);

private:
    void onInterim(const QJsonObject& message);
    void onDone(const Result<QJsonObject>& reply);
    void finish(const Status& result);

    QPointer<Target> m_target;
    const BundleEntry& m_file;
    const std::uint64_t m_offset;
    std::uint64_t m_sent = 0;     ///< since m_offset
    std::uint64_t m_received = 0; ///< since m_offset, as the host acknowledged
    std::ifstream m_source;
    Target::CallId m_call = 0; ///< 0 = not announced, or over
};

} // namespace trainyard
