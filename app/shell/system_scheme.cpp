#include "app/shell/system_scheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QGuiApplication>

namespace trainyard {

namespace {

// Answers of the setting "color-scheme": 0 = no preference, 1 = dark, 2 = light.
constexpr uint kPrefersDark = 1;
constexpr uint kPrefersLight = 2;

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

/// Read() wraps its answer in variants, once or twice depending on the portal's version.
uint unwrapped(QVariant value)
{
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value.toUInt();
}

} // namespace

SystemScheme::SystemScheme(QObject* parent)
    : QObject(parent), m_scheme(coloursOf(QGuiApplication::palette()).scheme)
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                SLOT(onSettingChanged(QString, QString, QDBusVariant)));
    askPortal();
}

void SystemScheme::askPortal()
{
    QDBusMessage question =
        QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    question << kGroup << kKey;
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(question), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
        const QDBusPendingReply<QDBusVariant> reply = *call;
        if (!reply.isError())
            setPreference(unwrapped(QVariant::fromValue(reply.value())));
        call->deleteLater();
    });
}

void SystemScheme::onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value)
{
    if (group == kGroup && key == kKey)
        setPreference(unwrapped(QVariant::fromValue(value)));
}

void SystemScheme::setPreference(uint preference)
{
    if (preference != kPrefersDark && preference != kPrefersLight)
        return;
    const ColourScheme scheme = preference == kPrefersDark ? ColourScheme::Dark : ColourScheme::Light;
    if (scheme == m_scheme)
        return;
    m_scheme = scheme;
    emit changed(scheme);
}

} // namespace trainyard
