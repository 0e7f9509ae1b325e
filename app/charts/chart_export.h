#pragma once

#include <QImage>
#include <QString>

#include "engine/base/result.h"

class QCustomPlot;

namespace trainyard {

/// The plot as it is shown, with its title above it, at twice the resolution of the screen.
QImage chartImage(QCustomPlot& plot, const QString& title);

/// The same in a file: PNG, or SVG and PDF as lines and text. BadInput for another suffix, Failed when the
/// file cannot be written.
Status saveChartImage(QCustomPlot& plot, const QString& title, const QString& file);

} // namespace trainyard
