#pragma once

#include <QByteArray>
#include <QList>

#include "app/runs/named_series.h"

namespace trainyard {

/// A curve as a shared page reads it: an overview that is always loaded, and tiles with every point, of which
/// the page loads those in view. Points of a tile never change once it is full, so a growing curve rewrites
/// the last one only.
constexpr qsizetype kTileRows = 4096;
constexpr qsizetype kOverviewRows = 2000; ///< at most; a shorter curve has every point in its overview

/// Rows that an entry of the overview of a curve of `rows` points stands for: a power of two.
qsizetype overviewStride(qsizetype rows);

/// A JavaScript object: {"stride": n, "x": [...], "min": [...], "max": [...]} with the first position and the
/// extremes of each entry; NaN where none of its points is a number. With stride 1 "max" is left out.
QByteArray overviewScript(const NamedSeries& series);

/// Number of tiles of a curve; none where its overview has every point.
qsizetype tileCount(qsizetype rows);
/// The position at which each tile begins.
QList<double> tileStarts(const NamedSeries& series);
/// Two JavaScript arrays, positions and values of the tile: "[[1,2],[7.5,NaN]]".
QByteArray tileScript(const NamedSeries& series, qsizetype tile);

} // namespace trainyard
