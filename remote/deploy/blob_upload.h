#pragma once

#include <fstream>

#include <QObject>
#include <QPointer>

#include "remote/deploy/bundle.h"
#include "remote/target/target.h"

namespace trainyard {

/// Sends one file from an offset to the end (op `put`), as much at a time as its owner allows. Its link may
/// break: finished() then says Unreachable, and another upload goes on from what the host verified.
class BlobUpload : public QObject {
    Q_OBJECT

public:
    BlobUpload(Target& target, const BundleEntry& file, std::uint64_t offset);
    ~BlobUpload() override;

    const BundleEntry& file() const { return m_file; }
    /// Announces the file; send() does the rest.
    void start();
    /// Sends whole chunks (the last one may be shorter) of together at most `room` bytes; how many it sent.
    std::uint64_t send(std::uint64_t room);
    /// Bytes sent that the host has not acknowledged.
    std::uint64_t underWay() const { return m_sent - m_received; }
    /// Bytes that the host has not acknowledged, whether sent or not.
    std::uint64_t left() const { return m_file.size - m_offset - m_received; }
    /// Gives up; nothing is emitted any more.
    void stop();

signals:
    /// The host has written so many bytes more.
    void acknowledged(qint64 bytes);
    /// Once: the whole file is there, verified, or why not.
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
