#pragma once

#include <QObject>

#include "app/base/theme.h"

class QDBusVariant;

namespace trainyard {

/// Reads the desktop's light or dark preference from the desktop portal (org.freedesktop.appearance); without
/// a portal, from the platform's initial palette.
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
