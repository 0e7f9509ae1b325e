#include "datasets/metrics/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// The values less their mean.
std::vector<double> centred(std::span<const double> values)
{
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    std::vector<double> centred(values.begin(), values.end());
    for (double& value : centred)
        value -= mean;
    return centred;
}

double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

bool isConstant(std::span<const double> values)
{
    return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

/// From 1.
std::vector<double> ranksOf(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] = double(begin + 1 + end) / 2;
        begin = end;
    }
    return ranks;
}

} // namespace

std::optional<double> pearsonCorrelation(std::span<const double> a, std::span<const double> b)
{
    TRAINYARD_CHECK(a.size() == b.size());
    if (isConstant(a) || isConstant(b))
        return std::nullopt;
    const std::vector<double> x = centred(a);
    const std::vector<double> y = centred(b);
    const double correlation = dot(x, y) / (std::sqrt(dot(x, x)) * std::sqrt(dot(y, y)));
    return std::clamp(correlation, -1.0, 1.0); // rounding may pass the ends
}

std::optional<double> spearmanCorrelation(std::span<const double> a, std::span<const double> b)
{
    TRAINYARD_CHECK(a.size() == b.size());
    return pearsonCorrelation(ranksOf(a), ranksOf(b));
}

} // namespace trainyard
