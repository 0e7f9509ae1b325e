#pragma once

#include <QImage>
#include <QString>

#include "engine/base/result.h"

class QCustomPlot;

namespace trainyard {

/// The plot as displayed, with its title above it, at twice the screen resolution.
QImage chartImage(QCustomPlot& plot, const QString& title);

/// Saves it as PNG, or with lines and text as SVG or PDF. BadInput for another suffix, Failed if the file
/// cannot be written.
Status saveChartImage(QCustomPlot& plot, const QString& title, const QString& file);

} // namespace trainyard
