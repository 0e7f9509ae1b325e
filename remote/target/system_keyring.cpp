#include "remote/target/system_keyring.h"

#include <memory>
#include <utility>

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <QTimer>
#include <qt6keychain/keychain.h>
#include <unistd.h>

namespace trainyard {

namespace {

using namespace std::chrono_literals;

constexpr auto kUnlockPatience = 60s; ///< a person may have to find the keyring's own password

const QString kService = QStringLiteral("trainyard");
const QStringList kDaemons{QStringLiteral("org.freedesktop.secrets"), QStringLiteral("org.kde.kwalletd5"),
                           QStringLiteral("org.kde.kwalletd6")};

/// Without an address D-Bus would start a bus of its own, which has no keyring of the user's.
bool haveSessionBus()
{
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
           QFileInfo::exists(QStringLiteral("/run/user/%1/bus").arg(::getuid()));
}

QDBusPendingCall askBus(const QString& method)
{
    const QString bus = QStringLiteral("org.freedesktop.DBus");
    return QDBusConnection::sessionBus().asyncCall(
        QDBusMessage::createMethodCall(bus, QStringLiteral("/org/freedesktop/DBus"), bus, method));
}

/// Runs a job of QtKeychain's; `done` comes once, with nothing when it did not end in time.
void run(QKeychain::Job* job, QObject* context, std::function<void(QKeychain::Job*)> done)
{
    const auto open = std::make_shared<std::function<void(QKeychain::Job*)>>(std::move(done));
    const auto finish = [open](QKeychain::Job* ended) {
        if (const auto handler = std::exchange(*open, nullptr))
            handler(ended);
    };
    QObject::connect(job, &QKeychain::Job::finished, context, finish);
    QTimer::singleShot(kUnlockPatience, context, [finish] { finish(nullptr); });
    job->start();
}

} // namespace

SystemKeyring::SystemKeyring(std::filesystem::path indexFile, QObject* parent)
    : QObject(parent), m_index(std::move(indexFile))
{
    look();
}

/// Running, or started by the bus when somebody asks it something.
void SystemKeyring::look()
{
    if (!haveSessionBus() || !QDBusConnection::sessionBus().isConnected())
        return;
    for (const char* list : {"ListNames", "ListActivatableNames"}) {
        auto* watcher = new QDBusPendingCallWatcher(askBus(QString::fromLatin1(list)), this);
        connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
            const QDBusPendingReply<QStringList> reply = *call;
            for (const QString& daemon : kDaemons)
                m_present = m_present || (!reply.isError() && reply.value().contains(daemon));
            call->deleteLater();
        });
    }
}

void SystemKeyring::read(const QString& name, std::function<void(std::optional<ssh::Secret>)> done)
{
    auto* job = new QKeychain::ReadPasswordJob(kService, this);
    job->setKey(name);
    run(job, this, [done = std::move(done)](QKeychain::Job* ended) {
        if (!ended || ended->error() != QKeychain::NoError)
            return done(std::nullopt);
        const QByteArray bytes = static_cast<QKeychain::ReadPasswordJob*>(ended)->binaryData();
        ssh::Secret secret({bytes.constData(), static_cast<std::size_t>(bytes.size())});
        // The bytes that the job holds as well: data() would copy them, and only the copy would be wiped.
        ssh::wipe(const_cast<char*>(bytes.constData()), static_cast<std::size_t>(bytes.size()));
        done(std::move(secret));
    });
}

void SystemKeyring::write(const QString& name, const ssh::Secret& secret)
{
    // A secret whose name cannot be written down would stay in the keyring, unknown to every later session.
    if (const Status& known = m_index.refresh(); !known.ok() && known.error().kind == ErrorKind::Refused) {
        emit failed(tr("The secret is not kept: %1").arg(QString::fromStdString(known.error().text())));
        return;
    }
    auto* job = new QKeychain::WritePasswordJob(kService, this);
    job->setKey(name);
    job->setBinaryData(QByteArray(secret.view().data(), static_cast<qsizetype>(secret.view().size())));
    run(job, this, [this, name](QKeychain::Job* ended) {
        if (!ended || ended->error() != QKeychain::NoError) {
            emit failed(tr("The keyring did not take the secret: %1")
                            .arg(ended ? ended->errorString() : tr("it does not answer")));
            return;
        }
        tell(m_index.add(name));
    });
}

void SystemKeyring::remove(const QString& name)
{
    tell(m_index.remove(name));
    auto* job = new QKeychain::DeletePasswordJob(kService, this);
    job->setKey(name);
    job->start();
}

void SystemKeyring::tell(const Status& saved)
{
    if (!saved.ok())
        emit failed(QString::fromStdString(saved.error().text()));
}

} // namespace trainyard
