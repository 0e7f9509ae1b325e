#pragma once

#include <QIcon>
#include <QString>

namespace trainyard {

/// resources/icons/<name>.svg as an icon in the colours of the palette at each paint, so a change of scheme
/// needs no new icons: muted when idle, text under the pointer, accent when checked.
QIcon symbolIcon(const QString& name);

/// The same as a pixmap in one colour, at the given logical size.
QPixmap symbolPixmap(const QString& name, const QColor& colour, int size, qreal devicePixelRatio);

} // namespace trainyard
