#pragma once

#include <memory>

#include "remote/target/target_options.h"
#include "remote/target/transport.h"

namespace trainyard {

class SshLink;

/// The GUI thread's side of an SshLink: commands go in through its queues, its events arrive as signals here.
class SshTransport : public Transport {
    Q_OBJECT

public:
    SshTransport(const QString& host, const TargetOptions& options, QObject* parent = nullptr);
    /// Ends the link's thread, which takes milliseconds.
    ~SshTransport() override;

    void start() override;
    void sendControl(const QByteArray& frame) override;
    void sendBulk(const QByteArray& frame) override;
    void answerHostKey(bool trust) override;
    void answerLogin(ssh::LoginAnswers answers) override;

private:
    template <typename Event>
    void post(Event event);

    QString m_host;
    TargetOptions m_options;
    std::unique_ptr<SshLink> m_link;
};

} // namespace trainyard
