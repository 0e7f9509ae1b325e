#pragma once

#include <QByteArray>
#include <QRectF>
#include <QSize>

#include "app/report/report_document.h"

class QPainter;

namespace trainyard {

/// Figures are laid out for this size and scaled as a whole; always as wide, higher for a legend of several
/// lines.
QSize figureSize(const ReportFigure& figure);

/// The figure as an SVG element without XML declaration, to be put into HTML. Colours, dashes and numbers in
/// bars tell the same, so that it can be read in black and white. Needs a QApplication (the offscreen
/// platform will do); GUI thread.
QByteArray figureSvg(const ReportFigure& figure);

/// Draws what figureSvg() made into `area`, as vectors.
void paintFigure(QPainter& painter, const QRectF& area, const QByteArray& svg);

} // namespace trainyard
