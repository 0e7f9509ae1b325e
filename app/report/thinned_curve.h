#pragma once

#include "app/report/report_document.h"

namespace trainyard {

/// Twice the usual width of a figure in pixels.
constexpr int kCurveBuckets = 1440;

/// Returns the points needed to draw a curve, so that a figure of 10^6 steps is as small as one of 10^3.
/// Divides x, which ascends, into `buckets` of equal width and keeps the first, lowest, highest and last
/// point of each (M4: Jugel et al., VLDB 2014) and the first non-finite one: no extreme and no gap is lost. A
/// curve with at most 4 points per bucket is returned unchanged.
ReportCurve thinned(ReportCurve curve, int buckets = kCurveBuckets);

} // namespace trainyard
