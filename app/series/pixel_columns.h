#pragma once

#include <vector>

#include "app/series/series_column.h"

namespace trainyard {

/// Positions along the horizontal axis that separate neighbouring pixels, ascending.
using PixelEdges = std::vector<double>;
/// `pixels` of equal width; with `logarithmic` they are equally wide in the logarithm (requires from > 0).
PixelEdges pixelEdges(double from, double to, int pixels, bool logarithmic = false);

/// The first row of each pixel, and one past the last row of the last: pixel i has rows [i, i + 1) of it. `x`
/// ascends. Every row between the edges is in exactly one pixel. Where twenty rows or more share a pixel, its
/// edges are moved by up to 0.4 of its width, so that the pyramid of the columns answers: no more than what
/// is painted is moved by being put onto whole pixels.
std::vector<qsizetype> pixelRows(const SeriesColumn& x, const PixelEdges& edges);

/// What each pixel shows of `y`: exact minima and maxima, nothing is sampled away.
std::vector<ValueSummary> pixelColumns(const SeriesColumn& y, const std::vector<qsizetype>& pixelRows);

} // namespace trainyard
