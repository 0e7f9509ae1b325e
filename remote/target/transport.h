#pragma once

#include <chrono>

#include <QByteArray>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/ssh/login_inquiry.h"
#include "remote/target/questions.h"

namespace trainyard {

/// One attempt at a byte stream to a host's agent: a child process or an SSH channel. GUI thread. After
/// opened() both directions carry frames; failed() comes at most once and ends it.
class Transport : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void start() = 0;
    /// Sends frames before all pending bulk frames.
    virtual void sendControl(const QByteArray& frame) = 0;
    virtual void sendBulk(const QByteArray& frame) = 0;
    virtual void answerHostKey(bool) {}
    /// One secret for each prompt; nullopt = no answer.
    virtual void answerLogin(ssh::LoginAnswers) {}

signals:
    /// The agent has greeted.
    void opened();
    void received(const QByteArray& bytes);
    /// The host proved this key, which was found good: "ssh-ed25519 AAAA...".
    void hostKeyVerified(const QString& key);
    /// Refused and BadInput: retrying does not help.
    void failed(const trainyard::Error& error);

    void hostKeyUnknown(const trainyard::HostKeyQuestion& question);
    /// failed() follows.
    void hostKeyChanged(const trainyard::HostKeyChange& change);
    void loginNeeded(const trainyard::ssh::LoginInquiry& question);
    void loggedIn(const QString& account);
    /// The ssh configuration sets another timeout for a dead peer; before opened().
    void keepAliveConfigured(std::chrono::milliseconds interval, int countMax);
    void notice(const QString& text);
    void progress(const QString& text);
};

} // namespace trainyard
