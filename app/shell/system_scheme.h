#pragma once

#include <QObject>

#include "app/base/theme.h"

class QDBusVariant;

namespace trainyard {

/// Whether the desktop wants light or dark windows, asked of the desktop portal (org.freedesktop.appearance);
/// where there is none, read off the palette that the platform gave at the start.
class SystemScheme : public QObject {
    Q_OBJECT
public:
    explicit SystemScheme(QObject* parent = nullptr);

    ColourScheme scheme() const { return m_scheme; }

signals:
    void changed(trainyard::ColourScheme scheme);

private slots:
    void onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void askPortal();
    void setPreference(uint preference);

    ColourScheme m_scheme;
};

} // namespace trainyard
