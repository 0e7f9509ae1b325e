#pragma once

#include <QByteArray>
#include <QRectF>
#include <QSize>

#include "app/report/report_document.h"

class QPainter;

namespace trainyard {

/// Returns the layout size, which is scaled as a whole: constant width, more height for a legend of several
/// lines.
QSize figureSize(const ReportFigure& figure);

/// Returns the figure as an SVG element without XML declaration, for HTML. Dashes and numbers in bars repeat
/// the meaning of colours, so it is readable in black and white. Needs a QApplication (the offscreen platform
/// suffices); GUI thread.
QByteArray figureSvg(const ReportFigure& figure);

/// Draws the result of figureSvg() into `area`, as vectors.
void paintFigure(QPainter& painter, const QRectF& area, const QByteArray& svg);

} // namespace trainyard
