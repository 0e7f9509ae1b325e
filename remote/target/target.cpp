#include "remote/target/target.h"

#include <string.h>

#include <QTimer>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "remote/target/agent_link.h"
#include "remote/target/backoff.h"
#include "remote/target/call_table.h"
#include "remote/target/process_transport.h"
#include "remote/target/ssh_transport.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace {

constexpr auto kStableAfter = std::chrono::seconds(1); ///< a link that held so long earns a fresh back-off

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
    void answerPassphrase(std::optional<QByteArray> passphrase);
    CallId call(QJsonObject request, const QObject* context, Handlers handlers);
    void cancel(CallId id);

    Target* q = nullptr;
    const QString host;
    const TargetOptions options;
    State state = State::Closed;
    std::optional<Error> lastError;
    std::optional<AgentFacts> agent;
    std::unique_ptr<AgentLink> link;

private:
    void connectQuestions(Transport& transport);
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
};

Target::Private::Private(const QString& hostName, const TargetOptions& targetOptions)
    : host(hostName), options(targetOptions)
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
    connect(&transport, &Transport::passphraseNeeded, q, &Target::passphraseNeeded);
    connect(&transport, &Transport::notice, q, &Target::notice);
    connect(&transport, &Transport::progress, q, &Target::progress);
}

void Target::Private::sayHello()
{
    Handlers handlers;
    handlers.done = [this](const Result<QJsonObject>& reply) { onHello(reply); };
    const CallId id = m_calls.add(nullptr, std::move(handlers));
    link->sendMessage({{"id", qint64{id}}, {"op", "hello"}});
    m_ping.start(options.pingInterval);
    m_watch.start(options.lostAfter);
}

void Target::Private::onHello(const Result<QJsonObject>& reply)
{
    if (!reply.ok())
        return; // the link's failure is told by onFailed
    const QString version = reply->value("version").toString();
    if (reply->value("protocol").toInt() != kProtocolVersion || version != TRAINYARD_VERSION)
        return onFailed(refused("the agent of " + host.toStdString() + " has version " +
                                    version.toStdString() + ", this desk has " TRAINYARD_VERSION,
                                "install the same version of desk and agent"));
    agent = AgentFacts{reply->value("host").toString(), version, reply->value("root").toString(),
                       reply->value("boot_id").toString(), reply->value("agent_sha256").toString()};
    lastError.reset();
    m_readySince.start();
    setState(State::Ready);
}

/// Unreachable things are tried again; what a person has to put right is not.
void Target::Private::onFailed(const Error& error)
{
    const bool wasReady = state == State::Ready;
    if (wasReady && std::chrono::milliseconds(m_readySince.elapsed()) > kStableAfter)
        m_backoff.reset();
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
    const CallId id = m_calls.add(nullptr, {});
    link->sendMessage({{"id", qint64{id}}, {"op", "ping"}});
}

void Target::Private::watch()
{
    const auto silence = link->silence();
    if (silence < options.lostAfter)
        return m_watch.start(options.lostAfter - silence);
    onFailed(
        unreachable(fmt::format("{}: no sign of life for {}", host.toStdString(), formatDuration(silence)),
                    "the connection is tried again; what runs there goes on"));
}

void Target::Private::answerHostKey(bool trust)
{
    if (link)
        link->transport().answerHostKey(trust);
}

void Target::Private::answerPassphrase(std::optional<QByteArray> passphrase)
{
    if (link)
        link->transport().answerPassphrase(std::move(passphrase));
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

std::optional<AgentFacts> Target::agent() const
{
    return d->agent;
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

void Target::answerPassphrase(std::optional<QByteArray> passphrase)
{
    d->answerPassphrase(std::move(passphrase));
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
