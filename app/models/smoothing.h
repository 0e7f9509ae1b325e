#pragma once

#include <QList>

namespace trainyard {

enum class SmoothingKind {
    TimeWeighted, ///< looks the same however often the run logs
    Classic,      ///< per point, gives the values that TensorBoard shows
};

/// How a noisy curve is smoothed for the eye. weight 0 = not at all, towards 1 = very.
struct Smoothing {
    SmoothingKind kind = SmoothingKind::TimeWeighted;
    double weight = 0.6;

    bool operator==(const Smoothing&) const = default;
};

/// Exponential moving average of y with a decay that follows the distance in x, debiased:
///     w = min(sqrt(weight), 0.999);  w_i = w^((x_i - x_{i-1}) / range(x) * 1000)
///     last = last * w_i + y_i;  norm = norm * w_i + 1;  out_i = last / norm
/// as Weights & Biases documents it; 1000 stands for the width of a view, so the look does not depend on how
/// many points there are. x is ascending. Points that are not finite come out as they are and count for
/// nothing.
QList<double> timeWeightedAverage(const QList<double>& x, const QList<double>& y, double weight);

/// last = last * w + (1 - w) * y_i;  out_i = last / (1 - w^n), n = finite points so far: TensorBoard's curve.
/// A constant series comes out unchanged; points that are not finite come out as they are.
QList<double> classicAverage(const QList<double>& y, double weight);

QList<double> smoothed(const QList<double>& x, const QList<double>& y, const Smoothing& smoothing);

} // namespace trainyard
