#pragma once

#include "app/report/report_document.h"

namespace trainyard {

/// Twice the pixels that a figure is wide on a usual screen.
constexpr int kCurveBuckets = 1440;

/// Those points of a curve that its picture needs, so that a figure of 10^6 steps is as small as one of 10^3.
/// x, which ascends, is cut into `buckets` of equal width. Of each bucket remain its first, lowest, highest
/// and last point (M4: Jugel et al., VLDB 2014), and the first that is not finite: no extreme and no gap is
/// lost. A curve of at most 4 points per bucket is left as it is.
ReportCurve thinned(ReportCurve curve, int buckets = kCurveBuckets);

} // namespace trainyard
