#pragma once

#include <optional>

#include <QByteArray>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/target/questions.h"

namespace trainyard {

/// One attempt at a byte stream to a host's agent: a child process or an SSH channel. GUI thread. After
/// opened() both directions carry frames; failed() comes at most once and ends it.
class Transport : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void start() = 0;
    /// Frames that go out before all bulk ones that wait.
    virtual void sendControl(const QByteArray& frame) = 0;
    virtual void sendBulk(const QByteArray& frame) = 0;
    virtual void answerHostKey(bool) {}
    virtual void answerPassphrase(std::optional<QByteArray>) {}

signals:
    /// The agent has greeted.
    void opened();
    void received(const QByteArray& bytes);
    /// Refused and BadInput: trying again does not help.
    void failed(const trainyard::Error& error);

    void hostKeyUnknown(const trainyard::HostKeyQuestion& question);
    void passphraseNeeded(const trainyard::PassphraseQuestion& question);
    void notice(const QString& text);
    void progress(const QString& text);
};

} // namespace trainyard
