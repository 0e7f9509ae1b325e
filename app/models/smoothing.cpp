#include "app/models/smoothing.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

constexpr double kViewWidth = 1000;

bool isConstant(const QList<double>& values)
{
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.first(); });
}

} // namespace

QList<double> timeWeightedAverage(const QList<double>& x, const QList<double>& y, double weight)
{
    if (y.isEmpty())
        return {};
    const double w = std::min(std::sqrt(std::clamp(weight, 0.0, 1.0)), 0.999);
    const double range = x.last() - x.first();
    const double exponent = range > 0 ? kViewWidth / range : 0;
    QList<double> out;
    out.reserve(y.size());
    double last = 0;
    double norm = 0;
    double lastX = x.first();
    for (qsizetype i = 0; i < y.size(); ++i) {
        if (!std::isfinite(y[i])) {
            out.append(y[i]);
            continue;
        }
        const double decay = std::pow(w, (x[i] - lastX) * exponent);
        last = last * decay + y[i];
        norm = norm * decay + 1;
        lastX = x[i];
        out.append(last / norm);
    }
    return out;
}

QList<double> classicAverage(const QList<double>& y, double weight)
{
    const double w = std::clamp(weight, 0.0, 0.999);
    if (y.isEmpty() || isConstant(y))
        return y;
    QList<double> out;
    out.reserve(y.size());
    double last = 0;
    double remaining = 1; // w^n
    for (const double value : y) {
        if (!std::isfinite(value)) {
            out.append(value);
            continue;
        }
        last = last * w + (1 - w) * value;
        remaining *= w;
        out.append(last / (1 - remaining));
    }
    return out;
}

QList<double> smoothed(const QList<double>& x, const QList<double>& y, const Smoothing& smoothing)
{
    if (smoothing.weight <= 0)
        return y;
    return smoothing.kind == SmoothingKind::Classic ? classicAverage(y, smoothing.weight)
                                                    : timeWeightedAverage(x, y, smoothing.weight);
}

} // namespace trainyard
