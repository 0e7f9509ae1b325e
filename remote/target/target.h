#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QPointer>
#include <QString>

#include "engine/base/result.h"
#include "remote/ssh/login_inquiry.h"
#include "remote/target/questions.h"
#include "remote/target/target_options.h"

namespace trainyard {

/// The agent's description of itself, sent when the link came up.
struct AgentFacts {
    QString host;    ///< the node's own name
    QString version; ///< of the agent
    QString root;    ///< where the agent keeps bundles and runs
    QString bootId;
    QString sha256; ///< of the agent's executable
};

/// One host's agent, on this machine (a child process) or over SSH. Opens the link, uploads the agent when it
/// is missing, keeps the link up, and carries requests. Lives on the GUI thread and never blocks it; an SSH
/// link has one internal thread.
///
///     Closed ──open()──▶ Connecting ──▶ Ready ◀──▶ Lost      (Lost tries again for ever, with growing
///     pauses)
///                             └──▶ Refused                  (a person must act: host key, key file, version)
///
/// A target that was never Ready goes to Lost too when the host cannot be reached; lastError() says why.
class Target : public QObject {
    Q_OBJECT

public:
    enum class State { Closed, Connecting, Ready, Lost, Refused };
    Q_ENUM(State)

    using CallId = quint32;
    using Reply = std::function<void(const Result<QJsonObject>&)>;
    struct Handlers {
        Reply done;
        std::function<void(const QByteArray&)> chunk;         ///< bytes of a stream
        std::function<void(const QJsonObject&)> interim = {}; ///< a word about a request that goes on
    };

    /// `host` as in the user's ssh configuration, or "localhost" for this machine. A name that ssh could take
    /// for an option or a command is refused when the target is opened.
    static std::unique_ptr<Target> create(const QString& host, const TargetOptions& options = {});
    ~Target() override;

    QString host() const;
    bool isLocal() const;
    State state() const;
    /// Returns why the link is Lost or Refused (or the last attempt failed); nullopt while Ready.
    std::optional<Error> lastError() const;
    /// Set while Refused because a host on the way presents another key than the known one.
    std::optional<HostKeyChange> hostKeyChange() const;
    /// Known once Ready; kept while Lost.
    std::optional<AgentFacts> agent() const;
    /// The key that the host presented at the last connection and that was accepted, as in known_hosts:
    /// "ssh-ed25519 AAAA...". Empty for this machine and before the first connection.
    QString hostKey() const;

    /// Starts to connect; opens again after Refused. No effect while it is open.
    void open();
    /// Closes the link; open calls end with Cancelled. Runs on the host continue.
    void close();
    /// Retries immediately, for example after a change of the network. No effect unless Lost.
    void retryNow();

    /// Answers hostKeyUnknown. true adds the key to the user's known_hosts; false leads to Refused.
    void answerHostKey(bool trust);
    /// Answers loginNeeded with one secret for each prompt; nullopt = skip this key, or Refused.
    void answerLogin(ssh::LoginAnswers answers);

    /// Sends {"op": …, …}; the id is filled in. `done` comes exactly once, later, on this thread: with the
    /// reply, the agent's error (prefixed by the host) or Unreachable when the link is not Ready or breaks
    /// before the answer. The request may have had its effect then: ops are safe to repeat.
    CallId call(QJsonObject request, Reply done);
    /// As above; dropped silently when `context` is gone.
    CallId call(QJsonObject request, const QObject* context, Reply done);
    /// A request with more than one answer: `tail` sends chunks, `put` interim words.
    CallId call(QJsonObject request, const QObject* context, Handlers handlers);
    /// Cancels an open call: its handlers will not be called any more, and the agent is told to stop.
    void cancel(CallId id);

    /// Sends bytes that belong to request `id` (`put`), at most 1 MiB. Control messages overtake
    /// pending bytes; the protocol of `put` limits how many may be pending.
    void sendChunk(CallId id, const QByteArray& bytes);

signals:
    void stateChanged(trainyard::Target::State state);
    /// One attempt to connect (or the established link) failed; stateChanged reports only new states.
    void attemptFailed(const trainyard::Error& error);
    void hostKeyUnknown(const trainyard::HostKeyQuestion& question);
    void loginNeeded(const trainyard::ssh::LoginInquiry& question);
    /// A hop has accepted the login of this account (ssh::LoginInquiry::account).
    void loggedIn(const QString& account);
    /// A message for the user although it works: an unreadable line in known_hosts, an ignored option.
    void notice(const QString& text);
    /// The current step while Connecting: "exchanging keys with gpu-03", "uploading the agent, 1.2 of 3.4
    /// MiB".
    void progress(const QString& text);

private:
    class Private;
    explicit Target(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace trainyard
