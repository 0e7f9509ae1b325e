#pragma once

#include <memory>

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>

#include "engine/base/result.h"
#include "remote/target/call_table.h"
#include "remote/target/transport.h"
#include "remote/wire/frame.h"

namespace trainyard {

/// The agent's protocol over one transport: frames, requests and their replies. Ends with the transport.
class AgentLink : public QObject {
    Q_OBJECT

public:
    /// `host` is the prefix of the agent's errors.
    AgentLink(const QString& host, std::unique_ptr<Transport> transport, CallTable& calls);
    ~AgentLink() override;

    Transport& transport() { return *m_transport; }
    void sendMessage(const QJsonObject& message);
    void sendChunk(Target::CallId id, const QByteArray& bytes);
    /// Time since the last byte from the agent.
    std::chrono::milliseconds silence() const { return std::chrono::milliseconds(m_heard.elapsed()); }

signals:
    void opened();
    void failed(const trainyard::Error& error);

private:
    void onReceived(const QByteArray& bytes);
    void onMessage(std::string_view json);
    void onReply(Target::CallId id, const QJsonObject& message);
    Error errorOf(const QJsonObject& error) const;
    void fail(const Error& error);

    QString m_host;
    std::unique_ptr<Transport> m_transport;
    CallTable& m_calls;
    FrameParser m_parser;
    QElapsedTimer m_heard;
    bool m_failed = false;
};

} // namespace trainyard
