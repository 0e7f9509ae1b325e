#pragma once

#include <QByteArray>
#include <QRectF>
#include <QSize>

#include "app/report/report_document.h"

class QPainter;

namespace trainyard {

/// Figures are laid out for this size and scaled as a whole.
constexpr QSize kFigureSize{720, 240};

/// Draws the figure as vectors into `area`. Needs a QApplication (the offscreen platform will do); GUI
/// thread.
void paintFigure(QPainter& painter, const QRectF& area, const ReportFigure& figure);

/// The figure as an SVG element without XML declaration, to be put into HTML.
QByteArray figureSvg(const ReportFigure& figure);

} // namespace trainyard
