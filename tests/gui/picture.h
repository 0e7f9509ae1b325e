#pragma once

#include <QApplication>
#include <QDir>
#include <QTest>
#include <QWidget>

#include "app/base/theme.h"

namespace trainyard::support {

inline void applyScheme(ColourScheme scheme)
{
    QApplication::setPalette(paletteOf(scheme));
    qApp->setStyleSheet(styleSheetOf(scheme));
}

/// Saves pictures of `widget`, light and dark, as $TRAINYARD_PICTURES/<name>-<scheme>.png, for a person to
/// look at. Without the variable nothing happens.
inline void savePictures(QWidget& widget, const QString& name)
{
    const QString folder = qEnvironmentVariable("TRAINYARD_PICTURES");
    if (folder.isEmpty())
        return;
    QDir().mkpath(folder);
    for (const auto& [scheme, suffix] :
         {std::pair{ColourScheme::Light, "light"}, {ColourScheme::Dark, "dark"}}) {
        applyScheme(scheme);
        QTest::qWait(400);
        widget.grab().save(folder + QLatin1Char('/') + name + QLatin1Char('-') + QLatin1String(suffix) +
                           ".png");
    }
    applyScheme(ColourScheme::Light);
}

} // namespace trainyard::support
