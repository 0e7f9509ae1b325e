#include "engine/planner/calibration/calibration.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace trainyard {

namespace {

/// One coordinate for each factor, and one that moves all but Sharing together, so that the step as a whole
/// grows.
constexpr std::size_t kWhole = kTimeFactors;
constexpr std::size_t kCoordinates = kTimeFactors + 1;
using Point = std::array<double, kCoordinates>;
using Freedom = std::bitset<kCoordinates>; ///< the coordinates that a fit may turn

/// What the model is off by, calibrated or not: steps of like layouts share it, so that a few of them must
/// not be believed to a percent.
constexpr double kResidualScale = 0.1;
constexpr double kDifference = 0.01; ///< of the numerical derivatives, in spreads
constexpr int kMaxRounds = 20;
constexpr double kMinGain = 1e-4;

/// How far the logarithm of each factor is expected to be from 0: data sheets are good for products and
/// memory, less so for host and links, and a network has neighbours; what of a program's reductions hides,
/// and in how many bytes, is known least.
constexpr Point kSpreads{
    0.1,  // products
    0.15, // traffic
    0.2,  // launches
    0.3,  // tensor
    0.3,  // transfers
    0.5,  // reductions
    0.4,  // micro-batches
    0.05, // sharing
    0.2,  // all of the step
};

TimeCoefficients coefficientsAt(const Point& point)
{
    TimeCoefficients coefficients;
    for (std::size_t i = 0; i < kTimeFactors; ++i) {
        const bool isOfWhole = static_cast<TimeFactor>(i) != TimeFactor::Sharing;
        const double whole = isOfWhole ? point[kWhole] * kSpreads[kWhole] : 0;
        coefficients.factors[i] = std::exp(point[i] * kSpreads[i] + whole);
    }
    return coefficients;
}

std::vector<double> residualsAt(std::span<const MeasuredStep> steps, const Point& point)
{
    const TimeCoefficients coefficients = coefficientsAt(point);
    std::vector<double> residuals;
    for (const MeasuredStep& step : steps)
        residuals.push_back(std::log(step.model->estimate(coefficients).seconds / step.seconds) /
                            kResidualScale);
    return residuals;
}

/// Twice the negative logarithm of the probability, but for a constant.
double misfit(const std::vector<double>& residuals, const Point& point)
{
    double sum = 0;
    for (const double residual : residuals)
        sum += std::log1p(residual * residual);
    for (const double coordinate : point)
        sum += coordinate * coordinate;
    return sum;
}

/// A x = b for a symmetric positive definite A.
struct NormalEquations {
    std::array<Point, kCoordinates> matrix{};
    Point right{};

    /// By Cholesky's factorisation; destroys the matrix.
    Point solve();
};

Point NormalEquations::solve()
{
    for (std::size_t i = 0; i < kCoordinates; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i][j];
            for (std::size_t k = 0; k < j; ++k)
                sum -= matrix[i][k] * matrix[j][k];
            matrix[i][j] = i == j ? std::sqrt(sum) : sum / matrix[j][j];
        }
    }
    Point x = right;
    for (std::size_t i = 0; i < kCoordinates; ++i) {
        for (std::size_t k = 0; k < i; ++k)
            x[i] -= matrix[i][k] * x[k];
        x[i] /= matrix[i][i];
    }
    for (std::size_t i = kCoordinates; i-- > 0;) {
        for (std::size_t k = i + 1; k < kCoordinates; ++k)
            x[i] -= matrix[k][i] * x[k];
        x[i] /= matrix[i][i];
    }
    return x;
}

/// Derivatives of every residual, coordinate by coordinate.
std::array<std::vector<double>, kCoordinates>
derivativesAt(std::span<const MeasuredStep> steps, const Point& point, const std::vector<double>& residuals)
{
    std::array<std::vector<double>, kCoordinates> derivatives;
    for (std::size_t i = 0; i < kCoordinates; ++i) {
        Point moved = point;
        moved[i] += kDifference;
        derivatives[i] = residualsAt(steps, moved);
        for (std::size_t row = 0; row < residuals.size(); ++row)
            derivatives[i][row] = (derivatives[i][row] - residuals[row]) / kDifference;
    }
    return derivatives;
}

Point gaussNewtonStep(std::span<const MeasuredStep> steps, const Point& point,
                      const std::vector<double>& residuals, Freedom free)
{
    const auto derivatives = derivativesAt(steps, point, residuals);
    NormalEquations equations;
    for (std::size_t i = 0; i < kCoordinates; ++i) {
        equations.matrix[i][i] = 1;
        equations.right[i] = -point[i];
    }
    for (std::size_t row = 0; row < residuals.size(); ++row) {
        const double weight = 1 / (1 + residuals[row] * residuals[row]);
        for (std::size_t i = 0; i < kCoordinates; ++i) {
            if (!free[i])
                continue;
            equations.right[i] -= weight * derivatives[i][row] * residuals[row];
            for (std::size_t j = 0; j < kCoordinates; ++j) {
                if (free[j])
                    equations.matrix[i][j] += weight * derivatives[i][row] * derivatives[j][row];
            }
        }
    }
    return equations.solve();
}

Point along(const Point& point, const Point& step, double share)
{
    Point moved = point;
    for (std::size_t i = 0; i < kCoordinates; ++i)
        moved[i] += share * step[i];
    return moved;
}

/// The best point that differs from the description of the hardware in the free coordinates alone.
Point fit(std::span<const MeasuredStep> steps, Freedom free)
{
    Point point{};
    std::vector<double> residuals = residualsAt(steps, point);
    double best = misfit(residuals, point);
    for (int round = 0; round < kMaxRounds; ++round) {
        const Point step = gaussNewtonStep(steps, point, residuals, free);
        const double before = best;
        for (double share = 1; share > 0.05 && best == before; share /= 2) {
            const Point moved = along(point, step, share);
            const std::vector<double> there = residualsAt(steps, moved);
            if (const double found = misfit(there, moved); found < best) {
                best = found;
                point = moved;
                residuals = there;
            }
        }
        if (before - best < kMinGain)
            break;
    }
    return point;
}

/// Without the eighth of the steps that it explains worst, which something else may have held up.
double meanError(std::span<const MeasuredStep> steps, const Point& point)
{
    std::vector<double> errors;
    for (const double residual : residualsAt(steps, point))
        errors.push_back(std::abs(residual) * kResidualScale);
    std::ranges::sort(errors);
    errors.resize(errors.size() - errors.size() / 8);
    return errors.empty()
               ? 0
               : std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

constexpr double kMinError = 0.005; ///< below which steps do not repeat

double informationCriterion(std::span<const MeasuredStep> steps, const Point& point, Freedom free)
{
    const auto count = static_cast<double>(steps.size());
    return 2 * count * std::log(meanError(steps, point) + kMinError) +
           static_cast<double>(free.count()) * std::log(count);
}

/// From what changes no choice between layouts to what may change each.
std::array<Freedom, 5> freedoms()
{
    Freedom whole;
    whole.set(kWhole);
    Freedom sharing;
    sharing.set(static_cast<std::size_t>(TimeFactor::Sharing));
    return {Freedom(), whole, sharing, whole | sharing, Freedom().set()};
}

} // namespace

TimeCoefficients calibrate(std::span<const MeasuredStep> steps)
{
    Point best{};
    double least = std::numeric_limits<double>::infinity();
    for (const Freedom free : freedoms()) {
        const Point point = fit(steps, free);
        if (const double criterion = informationCriterion(steps, point, free); criterion < least) {
            least = criterion;
            best = point;
        }
    }
    return coefficientsAt(best);
}

} // namespace trainyard
