#include "app/series/smoothing.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

constexpr double kViewWidth = 1000;
constexpr double kMaxWeight = 0.999;

QList<double> average(const QList<double>& x, const QList<double>& y, const Smoothing& smoothing)
{
    RunningAverage running(smoothing, x.isEmpty() ? 0 : x.last() - x.first());
    QList<double> out;
    out.reserve(y.size());
    for (qsizetype i = 0; i < y.size(); ++i)
        out.append(running.add(x.isEmpty() ? 0 : x[i], y[i]));
    return out;
}

} // namespace

RunningAverage::RunningAverage(const Smoothing& smoothing, double range)
    : m_kind(smoothing.kind)
    , m_weight(m_kind == SmoothingKind::Classic
                   ? std::clamp(smoothing.weight, 0.0, kMaxWeight)
                   : std::min(std::sqrt(std::clamp(smoothing.weight, 0.0, 1.0)), kMaxWeight))
    , m_exponent(range > 0 ? kViewWidth / range : 0)
{
}

double RunningAverage::add(double x, double y)
{
    if (!std::isfinite(y))
        return y;
    return m_kind == SmoothingKind::Classic ? addClassic(y) : addTimeWeighted(x, y);
}

double RunningAverage::addTimeWeighted(double x, double y)
{
    if (m_norm > 0 && x - m_lastX != m_distance) {
        m_distance = x - m_lastX;
        m_decay = std::pow(m_weight, m_distance * m_exponent);
    }
    m_last = m_last * m_decay + y;
    m_norm = m_norm * m_decay + 1;
    m_lastX = x;
    return m_last / m_norm;
}

double RunningAverage::addClassic(double y)
{
    if (m_norm == 0)
        m_first = y;
    m_constant = m_constant && y == m_first;
    m_last = m_last * m_weight + (1 - m_weight) * y;
    m_norm = m_norm * m_weight + (1 - m_weight);
    return m_constant ? y : m_last / m_norm;
}

QList<double> timeWeightedAverage(const QList<double>& x, const QList<double>& y, double weight)
{
    return average(x, y, {SmoothingKind::TimeWeighted, weight});
}

QList<double> classicAverage(const QList<double>& y, double weight)
{
    return average({}, y, {SmoothingKind::Classic, weight});
}

} // namespace trainyard
