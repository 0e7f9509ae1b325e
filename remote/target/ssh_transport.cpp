#include "remote/target/ssh_transport.h"

#include "remote/ssh/base64.h"
#include "remote/target/programs.h"
#include "remote/target/ssh_link.h"
#include "remote/wire/greeting.h"

namespace trainyard {

namespace {

ssh::Connection::Options connectionOptions(const TargetOptions& options)
{
    ssh::Connection::Options connection;
    connection.overrides.user = options.user.toStdString();
    connection.overrides.port = options.port;
    connection.overrides.configFile = options.sshConfigFile.toStdString();
    for (const QString& file : options.identityFiles)
        connection.overrides.identityFiles.push_back(file.toStdString());
    connection.overrides.knownHostsFile = options.knownHostsFile.toStdString();
    connection.overrides.useAgent = options.useSshAgent;
    connection.timeout = std::chrono::ceil<std::chrono::seconds>(options.connectTimeout);
    return connection;
}

HostKeyQuestion questionOf(const ssh::Interaction::HostKeyInquiry& inquiry)
{
    return {QString::fromStdString(inquiry.name), QString::fromStdString(inquiry.address),
            QString::fromStdString(inquiry.via), QString::fromStdString(inquiry.key.type()),
            QString::fromStdString(inquiry.key.fingerprint())};
}

HostKeyChange changeOf(const ssh::Interaction::HostKeyChange& found)
{
    HostKeyChange change;
    change.host = QString::fromStdString(found.name);
    change.address = QString::fromStdString(found.address);
    change.via = QString::fromStdString(found.via);
    change.keyType = QString::fromStdString(found.shown.type());
    change.fingerprint = QString::fromStdString(found.shown.fingerprint());
    for (const ssh::KnownKey& known : found.known)
        change.known.append({QString::fromStdString(known.key.type()),
                             QString::fromStdString(known.key.fingerprint()),
                             QString::fromStdString(known.source), known.line});
    for (const auto& file : found.userFiles)
        change.userFiles << QString::fromStdString(file.string());
    return change;
}

} // namespace

SshTransport::SshTransport(const QString& host, const TargetOptions& options, QObject* parent)
    : Transport(parent), m_host(host), m_options(options)
{
}

SshTransport::~SshTransport() = default;

/// Runs `event` on this object's thread; dropped when the object is gone by then.
template <typename Event>
void SshTransport::post(Event event)
{
    QMetaObject::invokeMethod(this, std::move(event), Qt::QueuedConnection);
}

void SshTransport::start()
{
    QString agent = m_options.agentPath;
    if (agent.isEmpty()) {
        const auto found = findProgram("trainyard-agent");
        if (!found.ok())
            return post([this, error = found.error()] { emit failed(error); });
        agent = *found;
    }
    SshLink::Listener listener;
    listener.hostKeyVerified = [this](const ssh::HostKey& key) {
        const std::string text = key.type() + ' ' + ssh::toBase64(key.blob);
        post([this, text = QString::fromStdString(text)] { emit hostKeyVerified(text); });
    };
    listener.opened = [this] { post([this] { emit opened(); }); };
    listener.received = [this](std::string bytes) {
        post([this, bytes = std::move(bytes)] {
            emit received(QByteArray::fromRawData(bytes.data(), static_cast<qsizetype>(bytes.size())));
            m_link->consumed(bytes.size());
        });
    };
    listener.failed = [this](const Error& error) { post([this, error] { emit failed(error); }); };
    listener.hostKeyUnknown = [this](const ssh::Interaction::HostKeyInquiry& inquiry) {
        post([this, question = questionOf(inquiry)] { emit hostKeyUnknown(question); });
    };
    listener.hostKeyChanged = [this](const ssh::Interaction::HostKeyChange& found) {
        post([this, change = changeOf(found)] { emit hostKeyChanged(change); });
    };
    listener.loginNeeded = [this](const ssh::LoginInquiry& inquiry) {
        post([this, inquiry] { emit loginNeeded(inquiry); });
    };
    listener.loggedIn = [this](const std::string& account) {
        post([this, account = QString::fromStdString(account)] { emit loggedIn(account); });
    };
    listener.keepAlive = [this](std::chrono::seconds interval, int countMax) {
        post([this, interval, countMax] { emit keepAliveConfigured(interval, countMax); });
    };
    listener.notice = [this](const std::string& text) {
        post([this, text = QString::fromStdString(text)] { emit notice(text); });
    };
    listener.progress = [this](const std::string& text) {
        post([this, text = QString::fromStdString(text)] { emit progress(text); });
    };
    m_link = std::make_unique<SshLink>(
        SshLink::Options{m_host.toStdString(), agent.toStdString(), m_options.agentFiles, makeNonce(),
                         m_options.readOnly ? AgentMode::ReadOnly : AgentMode::Full,
                         connectionOptions(m_options)},
        std::move(listener));
}

void SshTransport::sendControl(const QByteArray& frame)
{
    m_link->send(SshLink::Lane::Control, frame.toStdString());
}

void SshTransport::sendBulk(const QByteArray& frame)
{
    m_link->send(SshLink::Lane::Bulk, frame.toStdString());
}

void SshTransport::answerHostKey(bool trust)
{
    m_link->answerHostKey(trust);
}

void SshTransport::answerLogin(ssh::LoginAnswers answers)
{
    m_link->answerLogin(std::move(answers));
}

} // namespace trainyard
