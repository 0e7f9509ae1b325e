#pragma once

#include <optional>
#include <span>
#include <vector>

namespace trainyard {

// Of equally many numbers each. Nothing where one side has a single value, so that no correlation is defined.

/// Pearson's correlation, of the values.
std::optional<double> pearsonCorrelation(std::span<const double> a, std::span<const double> b);

/// Spearman's, of the ranks; equal values share the mean of their ranks.
std::optional<double> spearmanCorrelation(std::span<const double> a, std::span<const double> b);

} // namespace trainyard
