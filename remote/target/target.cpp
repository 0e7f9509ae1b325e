#include "remote/target/target.h"

#include <algorithm>

#include <QTimer>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/base/untrusted_text.h"
#include "remote/target/agent_link.h"
#include "remote/target/backoff.h"
#include "remote/target/call_table.h"
#include "remote/target/process_transport.h"
#include "remote/target/ssh_transport.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

/// Both sides say what they speak and what they still understand; the older one's language must be understood
/// by the newer one.
Status speaksWithUs(const QString& host, const QJsonObject& hello)
{
    const int theirs = hello.value("protocol").toInt();
    const int theirOldest = hello.value("protocol_oldest").toInt(theirs);
    if (theirs >= kOldestProtocolVersion && theirOldest <= kProtocolVersion)
        return {};
    const bool agentIsOlder = theirs < kOldestProtocolVersion;
    return refused(
        fmt::format("the agent of {} (version {}) speaks protocol {}, Trainyard here (version {}) speaks {}",
                    host.toStdString(), hello.value("version").toString().toStdString(), theirs,
                    TRAINYARD_VERSION, kProtocolVersion),
        agentIsOlder ? "install the same version of trainyard-agent there"
                     : "update Trainyard here to the agent's version");
}

constexpr auto kAnswerPatience = std::chrono::seconds(1); ///< for the answer to the last ping
constexpr auto kStableAfter = std::chrono::seconds(1);    ///< a link that held so long earns a fresh back-off

} // namespace

/// The state machine behind the interface.
class Target::Private : public QObject {
public:
    Private(const QString& host, const TargetOptions& options);
    ~Private() override;

    void open();
    void close();
    void attempt();
    void answerHostKey(bool trust);
    void answerLogin(ssh::LoginAnswers answers);
    CallId call(QJsonObject request, const QObject* context, Handlers handlers);
    void cancel(CallId id);

    Target* q = nullptr;
    const QString host;
    const TargetOptions options;
    State state = State::Closed;
    std::optional<Error> lastError;
    std::optional<AgentFacts> agent;
    QString hostKey;
    std::optional<HostKeyChange> hostKeyChange;
    std::unique_ptr<AgentLink> link;

private:
    void connectQuestions(Transport& transport);
    void setKeepAlive(std::chrono::milliseconds interval, int countMax);
    void sayHello();
    void onHello(const Result<QJsonObject>& reply);
    void onFailed(const Error& error);
    void ping();
    void watch();
    void leave(State next, const Error& error);
    void setState(State next);

    CallTable m_calls;
    Backoff m_backoff;
    QTimer m_retry;
    QTimer m_ping;
    QTimer m_watch; ///< goes off when the agent has been silent for too long
    QElapsedTimer m_readySince;
    std::chrono::milliseconds m_pingInterval, m_lostAfter;
};

Target::Private::Private(const QString& hostName, const TargetOptions& targetOptions)
    : host(hostName)
    , options(targetOptions)
    , m_pingInterval(targetOptions.pingInterval)
    , m_lostAfter(targetOptions.lostAfter)
{
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, [this] { attempt(); });
    m_watch.setSingleShot(true);
    connect(&m_ping, &QTimer::timeout, this, [this] { ping(); });
    connect(&m_watch, &QTimer::timeout, this, [this] { watch(); });
}

Target::Private::~Private()
{
    link.reset();
}

void Target::Private::setState(State next)
{
    if (state == next)
        return;
    state = next;
    emit q->stateChanged(next);
}

void Target::Private::open()
{
    if (state != State::Closed && state != State::Refused)
        return;
    m_backoff.reset();
    [[maybe_unused]] const auto atOnce = m_backoff.next();
    setState(State::Connecting);
    attempt();
}

void Target::Private::close()
{
    m_retry.stop();
    leave(State::Closed, cancelled("the link to " + host.toStdString() + " was closed"));
}

void Target::Private::attempt()
{
    m_retry.stop();
    hostKeyChange.reset();
    std::unique_ptr<Transport> transport;
    if (q->isLocal())
        transport = std::make_unique<ProcessTransport>(options);
    else
        transport = std::make_unique<SshTransport>(host, options);
    connectQuestions(*transport);
    link = std::make_unique<AgentLink>(host, std::move(transport), m_calls);
    connect(link.get(), &AgentLink::opened, this, [this] { sayHello(); });
    connect(link.get(), &AgentLink::failed, this, [this](const Error& error) { onFailed(error); });
    link->transport().start();
}

void Target::Private::connectQuestions(Transport& transport)
{
    connect(&transport, &Transport::hostKeyUnknown, q, &Target::hostKeyUnknown);
    connect(&transport, &Transport::hostKeyChanged, this,
            [this](const HostKeyChange& change) { hostKeyChange = change; });
    connect(&transport, &Transport::loginNeeded, q, &Target::loginNeeded);
    connect(&transport, &Transport::loggedIn, q, &Target::loggedIn);
    connect(&transport, &Transport::keepAliveConfigured, this, &Private::setKeepAlive);
    connect(&transport, &Transport::hostKeyVerified, this, [this](const QString& key) { hostKey = key; });
    connect(&transport, &Transport::notice, q, [this](const QString& text) {
        emit q->notice(
            QString::fromStdString(sanitizeText(text.toStdString(), Lines::Many, kShownTextBytes)));
    });
    connect(&transport, &Transport::progress, q, &Target::progress);
}

void Target::Private::sayHello()
{
    Handlers handlers;
    handlers.done = [this](const Result<QJsonObject>& reply) { onHello(reply); };
    const CallId id = m_calls.add(nullptr, std::move(handlers));
    QJsonObject hello{{"id", qint64{id}}, {"op", "hello"}};
    if (!q->isLocal()) // there the agent sees the end of its pipe
        hello.insert("silence_ms", qint64{std::chrono::milliseconds(kMaxSilence).count()});
    link->sendMessage(hello);
    m_ping.start(m_pingInterval);
    m_watch.start(m_lostAfter);
}

void Target::Private::onHello(const Result<QJsonObject>& reply)
{
    if (!reply.ok())
        return; // the link's failure is told by onFailed
    const QString version = reply->value("version").toString();
    if (const Status understood = speaksWithUs(host, *reply); !understood.ok())
        return onFailed(understood.error());
    if (version != TRAINYARD_VERSION)
        emit q->notice(QString("%1: the agent has version %2, Trainyard here has %3; they are compatible")
                           .arg(host, version, TRAINYARD_VERSION));
    agent = AgentFacts{reply->value("host").toString(), version, reply->value("root").toString(),
                       reply->value("boot_id").toString(), reply->value("agent_sha256").toString()};
    lastError.reset();
    m_readySince.start();
    setState(State::Ready);
}

/// Unreachable things are tried again; what a person has to put right is not. The words may be those of a
/// server or of a login shell.
void Target::Private::onFailed(const Error& reason)
{
    const Error error = sanitizeError(reason);
    if (state == State::Ready) {
        const bool held = std::chrono::milliseconds(m_readySince.elapsed()) > kStableAfter;
        // A link that breaks as soon as it is up must not be retried without a pause.
        held ? m_backoff.reset() : m_backoff.shorten();
    }
    lastError = error;
    if (error.kind == ErrorKind::Unreachable)
        m_retry.start(m_backoff.next());
    leave(error.kind == ErrorKind::Unreachable ? State::Lost : State::Refused, error);
    emit q->attemptFailed(error);
}

/// The state changes before anybody hears of it, because the handlers of open calls may use the target.
void Target::Private::leave(State next, const Error& error)
{
    m_ping.stop();
    m_watch.stop();
    if (link) {
        // It may be the sender of the signal that we are in.
        link->disconnect(this);
        link.release()->deleteLater();
    }
    const State before = std::exchange(state, next);
    m_calls.finishAll(error);
    if (state != before)
        emit q->stateChanged(state);
}

void Target::Private::ping()
{
    // The answer needs no handler: every byte from the agent counts as a sign of life.
    const CallId id = m_calls.add(nullptr, {});
    link->sendMessage({{"id", qint64{id}}, {"op", "ping"}});
}

void Target::Private::watch()
{
    const auto silence = link->silence();
    if (silence < m_lostAfter)
        return m_watch.start(m_lostAfter - silence);
    onFailed(unreachable(fmt::format("{}: no response for {}", host.toStdString(), formatDuration(silence)),
                         "reconnecting; runs there continue"));
}

void Target::Private::answerHostKey(bool trust)
{
    if (link)
        link->transport().answerHostKey(trust);
}

void Target::Private::answerLogin(ssh::LoginAnswers answers)
{
    if (link)
        link->transport().answerLogin(std::move(answers));
}

/// The ssh configuration may have a dead peer noticed sooner than we do, not later.
void Target::Private::setKeepAlive(std::chrono::milliseconds interval, int countMax)
{
    m_pingInterval = std::min(options.pingInterval, interval);
    m_lostAfter = std::min(options.lostAfter, interval * std::max(countMax, 1) + kAnswerPatience);
}

Target::CallId Target::Private::call(QJsonObject request, const QObject* context, Handlers handlers)
{
    const CallId id = m_calls.add(context, std::move(handlers));
    if (state != State::Ready) {
        const Error why =
            lastError ? *lastError : unreachable("the link to " + host.toStdString() + " is not up yet");
        const Error error{ErrorKind::Unreachable, why.message, why.hint};
        QMetaObject::invokeMethod(
            this, [this, id, error] { m_calls.finish(id, error); }, Qt::QueuedConnection);
        return id;
    }
    request.insert("id", qint64{id});
    link->sendMessage(request);
    return id;
}

void Target::Private::cancel(CallId id)
{
    if (!m_calls.remove(id) || state != State::Ready)
        return;
    call({{"op", "cancel"}, {"target", qint64{id}}}, nullptr, {});
}

Target::Target(std::unique_ptr<Private> implementation) : d(std::move(implementation))
{
    d->q = this;
}

Target::~Target() = default;

std::unique_ptr<Target> Target::create(const QString& host, const TargetOptions& options)
{
    return std::unique_ptr<Target>(new Target(std::make_unique<Private>(host, options)));
}

QString Target::host() const
{
    return d->host;
}

bool Target::isLocal() const
{
    return d->host == "localhost";
}

Target::State Target::state() const
{
    return d->state;
}

std::optional<Error> Target::lastError() const
{
    return d->lastError;
}

std::optional<HostKeyChange> Target::hostKeyChange() const
{
    return d->state == State::Refused ? d->hostKeyChange : std::nullopt;
}

std::optional<AgentFacts> Target::agent() const
{
    return d->agent;
}

QString Target::hostKey() const
{
    return d->hostKey;
}

void Target::open()
{
    d->open();
}

void Target::close()
{
    d->close();
}

void Target::retryNow()
{
    if (d->state == State::Lost && !d->link)
        d->attempt();
}

void Target::answerHostKey(bool trust)
{
    d->answerHostKey(trust);
}

void Target::answerLogin(ssh::LoginAnswers answers)
{
    d->answerLogin(std::move(answers));
}

Target::CallId Target::call(QJsonObject request, Reply done)
{
    return d->call(std::move(request), nullptr, Handlers{std::move(done), {}, {}});
}

Target::CallId Target::call(QJsonObject request, const QObject* context, Reply done)
{
    return d->call(std::move(request), context, Handlers{std::move(done), {}, {}});
}

Target::CallId Target::call(QJsonObject request, const QObject* context, Handlers handlers)
{
    return d->call(std::move(request), context, std::move(handlers));
}

void Target::cancel(CallId id)
{
    d->cancel(id);
}

void Target::sendChunk(CallId id, const QByteArray& bytes)
{
    if (d->link && d->state == State::Ready)
        d->link->sendChunk(id, bytes);
}

} // namespace trainyard
