#include "datasets/verification/uniformity.h"

#include <cmath>
#include <numeric>

namespace trainyard {

namespace {

constexpr std::size_t kPositionBins = 10;
constexpr std::size_t kIdBins = 64;

std::size_t idBin(std::int32_t id, std::size_t vocabularySize)
{
    return static_cast<std::size_t>(id) * kIdBins / vocabularySize;
}

} // namespace

double BinnedCounts::deviate() const
{
    double chiSquare = 0;
    int bins = 0;
    for (std::size_t i = 0; i < observed.size(); ++i) {
        if (expected[i] < 5)
            continue;
        chiSquare += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
        ++bins;
    }
    if (bins < 2)
        return 0;
    const double freedom = bins - 1;
    const double scale = 2 / (9 * freedom);
    return (std::cbrt(chiSquare / freedom) - (1 - scale)) / std::sqrt(scale);
}

UniformityCheck::UniformityCheck(const Vocabulary& vocabulary)
    : m_vocabulary(vocabulary)
    , m_positions{std::vector<double>(kPositionBins), std::vector<double>(kPositionBins)}
    , m_replacements(kIdBins)
    , m_originals(vocabulary.size())
{
}

void UniformityCheck::add(const Instance& instance)
{
    addPositions(instance);
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i) {
        ++m_originals[static_cast<std::size_t>(instance.maskedIds[i])];
        const std::int32_t shown = instance.tokens[static_cast<std::size_t>(instance.maskedPositions[i])];
        if (shown != m_vocabulary.special().mask && shown != instance.maskedIds[i])
            m_replacements[idBin(shown, m_vocabulary.size())] += 1;
    }
}

/// The n maskable tokens are numbered 0 .. n-1 without the [SEP] between A and B; number j falls into the bin
/// of (j + 1/2) / n, so short rows fill the bins unevenly and the expectation is summed row by row.
void UniformityCheck::addPositions(const Instance& instance)
{
    const std::size_t count = instance.maskable();
    const auto bin = [&](std::size_t number) { return (2 * number + 1) * kPositionBins / (2 * count); };
    const double share = static_cast<double>(instance.maskedIds.size()) / static_cast<double>(count);
    for (std::size_t number = 0; number < count; ++number)
        m_positions.expected[bin(number)] += share;
    for (const std::int32_t position : instance.maskedPositions) {
        const auto number = static_cast<std::size_t>(position) -
                            (static_cast<std::uint32_t>(position) < instance.firstSegment ? 1 : 2);
        m_positions.observed[bin(number)] += 1;
    }
}

BinnedCounts UniformityCheck::replacements() const
{
    BinnedCounts counts{m_replacements, std::vector<double>(kIdBins)};
    const double seen = std::accumulate(m_replacements.begin(), m_replacements.end(), 0.0);
    const double masked = std::accumulate(m_originals.begin(), m_originals.end(), 0.0);
    const auto size = m_vocabulary.size();
    if (masked == 0 || size < 3)
        return counts;
    // Of all but [MASK] the shares 1 - original / masked sum up to size - 2: [MASK] itself is never masked.
    for (std::size_t id = 0; id < size; ++id) {
        if (static_cast<std::int32_t>(id) != m_vocabulary.special().mask)
            counts.expected[idBin(static_cast<std::int32_t>(id), size)] +=
                seen * (1 - m_originals[id] / masked) / static_cast<double>(size - 2);
    }
    return counts;
}

} // namespace trainyard
