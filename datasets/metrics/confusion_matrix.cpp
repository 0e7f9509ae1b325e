#include "datasets/metrics/confusion_matrix.h"

#include <cmath>
#include <numeric>

#include "engine/base/check.h"

namespace trainyard {

namespace {

double ratio(double part, double whole)
{
    return whole == 0 ? 0 : part / whole;
}

} // namespace

ConfusionMatrix::ConfusionMatrix(int classes)
    : m_classes(classes), m_counts(static_cast<std::size_t>(classes) * static_cast<std::size_t>(classes))
{
    TRAINYARD_CHECK(classes > 0);
}

std::size_t ConfusionMatrix::indexOf(int expected, int predicted) const
{
    TRAINYARD_CHECK(expected >= 0 && expected < m_classes && predicted >= 0 && predicted < m_classes);
    return static_cast<std::size_t>(expected) * static_cast<std::size_t>(m_classes) +
           static_cast<std::size_t>(predicted);
}

void ConfusionMatrix::add(int expected, int predicted)
{
    ++m_counts[indexOf(expected, predicted)];
}

void ConfusionMatrix::add(const ConfusionMatrix& other)
{
    TRAINYARD_CHECK(other.m_classes == m_classes);
    for (std::size_t i = 0; i < m_counts.size(); ++i)
        m_counts[i] += other.m_counts[i];
}

std::int64_t ConfusionMatrix::count() const
{
    return std::accumulate(m_counts.begin(), m_counts.end(), std::int64_t{0});
}

std::int64_t ConfusionMatrix::expectedCount(int label) const
{
    std::int64_t sum = 0;
    for (int predicted = 0; predicted < m_classes; ++predicted)
        sum += count(label, predicted);
    return sum;
}

std::int64_t ConfusionMatrix::predictedCount(int label) const
{
    std::int64_t sum = 0;
    for (int expected = 0; expected < m_classes; ++expected)
        sum += count(expected, label);
    return sum;
}

std::int64_t ConfusionMatrix::correctCount() const
{
    std::int64_t sum = 0;
    for (int label = 0; label < m_classes; ++label)
        sum += count(label, label);
    return sum;
}

double ConfusionMatrix::accuracy() const
{
    return ratio(double(correctCount()), double(count()));
}

// 2 P R / (P + R) without the quotients P and R.
double ConfusionMatrix::f1(int label) const
{
    return ratio(2.0 * double(count(label, label)), double(expectedCount(label) + predictedCount(label)));
}

double ConfusionMatrix::macroF1() const
{
    double sum = 0;
    int occurring = 0;
    for (int label = 0; label < m_classes; ++label) {
        occurring += expectedCount(label) + predictedCount(label) > 0;
        sum += f1(label);
    }
    return ratio(sum, occurring);
}

double ConfusionMatrix::matthews() const
{
    const auto all = double(count());
    double products = 0;
    double expectedSquares = 0;
    double predictedSquares = 0;
    for (int label = 0; label < m_classes; ++label) {
        const auto expected = double(expectedCount(label));
        const auto predicted = double(predictedCount(label));
        products += expected * predicted;
        expectedSquares += expected * expected;
        predictedSquares += predicted * predicted;
    }
    const double covariance = double(correctCount()) * all - products;
    return ratio(covariance,
                 std::sqrt(all * all - predictedSquares) * std::sqrt(all * all - expectedSquares));
}

} // namespace trainyard
