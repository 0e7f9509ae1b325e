#pragma once

#include <memory>

#include <QProcess>
#include <QTimer>

#include "remote/target/target_options.h"
#include "remote/target/transport.h"
#include "remote/wire/greeting.h"

namespace trainyard {

/// The agent as a child process on this machine. It ends by itself when its stdin closes.
class ProcessTransport : public Transport {
    Q_OBJECT

public:
    explicit ProcessTransport(const TargetOptions& options, QObject* parent = nullptr);
    ~ProcessTransport() override;

    void start() override;
    void sendControl(const QByteArray& frame) override;
    void sendBulk(const QByteArray& frame) override;

private:
    void onOutput();
    void onErrors();
    void fail(Error error);

    TargetOptions m_options;
    std::string m_nonce;
    GreetingScanner m_scanner;
    QByteArray m_errors; ///< last words of the agent's stderr
    bool m_open = false;
    bool m_failed = false;
    QTimer m_greetingTimer;
    std::unique_ptr<QProcess> m_process;
};

} // namespace trainyard
