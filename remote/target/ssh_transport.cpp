#include "remote/target/ssh_transport.h"

#include <string.h>

#include "remote/target/nonce.h"
#include "remote/target/programs.h"
#include "remote/target/ssh_link.h"

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
    listener.passphraseNeeded = [this](const std::string& file, int attempt) {
        post([this, question = PassphraseQuestion{m_host, QString::fromStdString(file), attempt}] {
            emit passphraseNeeded(question);
        });
    };
    listener.notice = [this](const std::string& text) {
        post([this, text = QString::fromStdString(text)] { emit notice(text); });
    };
    listener.progress = [this](const std::string& text) {
        post([this, text = QString::fromStdString(text)] { emit progress(text); });
    };
    m_link = std::make_unique<SshLink>(SshLink::Options{m_host.toStdString(), agent.toStdString(),
                                                        makeNonce(), connectionOptions(m_options)},
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

void SshTransport::answerPassphrase(std::optional<QByteArray> passphrase)
{
    if (!passphrase)
        return m_link->answerPassphrase(std::nullopt);
    m_link->answerPassphrase(
        ssh::Secret({passphrase->constData(), static_cast<std::size_t>(passphrase->size())}));
    ::explicit_bzero(passphrase->data(), static_cast<std::size_t>(passphrase->size()));
}

} // namespace trainyard
