#include "engine/spec/phases/data_mix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/check.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

std::vector<std::int64_t> wholeWeights(const std::vector<double>& weights)
{
    std::vector<std::int64_t> whole;
    std::int64_t divisor = 0;
    for (const double weight : weights) {
        // Also of weights that validate() refuses, while somebody types them.
        whole.push_back(std::llround(std::clamp(weight * kWeightUnits, 1.0, kMaxMixWeight * kWeightUnits)));
        divisor = std::gcd(divisor, whole.back());
    }
    for (std::int64_t& weight : whole)
        weight /= divisor;
    return whole;
}

std::vector<double> weightsOf(const DatasetSpec& dataset)
{
    std::vector<double> weights;
    for (const MixedDataSet& set : dataset.sets())
        weights.push_back(set.weight);
    return weights;
}

} // namespace

DataMix::DataMix(const DatasetSpec& dataset) : DataMix(weightsOf(dataset)) {}

DataMix::DataMix(const std::vector<double>& weights)
    : m_weights(wholeWeights(weights))
    , m_period(std::accumulate(m_weights.begin(), m_weights.end(), std::int64_t{0}))
    , m_taken(m_weights.size())
    , m_surplus(m_weights.size())
{
    TRAINYARD_CHECK(!m_weights.empty());
}

/// With k data sets, one may have its next sample once its surplus is 1 / (2k - 2) of a sample, and must have
/// it before the surplus exceeds 1 - 1 / (2k - 2).
std::size_t DataMix::deal()
{
    const auto parts = static_cast<std::int64_t>(std::max<std::size_t>(2 * m_weights.size() - 2, 1));
    std::size_t next = 0;
    double leastTime = std::numeric_limits<double>::infinity();
    for (std::size_t set = 0; set < m_weights.size(); ++set) {
        m_surplus[set] += m_weights[set];
        if (m_surplus[set] * parts < m_period)
            continue;
        const auto room = static_cast<double>((parts - 1) * m_period - parts * m_surplus[set]);
        if (const double time = room / static_cast<double>(m_weights[set]); time < leastTime) {
            leastTime = time;
            next = set;
        }
    }
    m_surplus[next] -= m_period;
    ++m_taken[next];
    ++m_dealt;
    return next;
}

/// Afterwards deal() gives the data set of the sample.
void DataMix::moveTo(std::uint64_t sample)
{
    const auto period = static_cast<std::uint64_t>(m_period);
    const auto dealt = static_cast<std::int64_t>(sample % period);
    if (sample / period != m_round || dealt < m_dealt) {
        m_dealt = 0;
        std::ranges::fill(m_taken, 0);
        std::ranges::fill(m_surplus, 0);
    }
    m_round = sample / period;
    while (m_dealt < dealt)
        deal();
}

std::uint64_t DataMix::takenBy(std::size_t set) const
{
    return m_round * static_cast<std::uint64_t>(m_weights[set]) + static_cast<std::uint64_t>(m_taken[set]);
}

DataMix::Place DataMix::placeOf(std::uint64_t sample)
{
    moveTo(sample);
    const std::size_t set = deal();
    return {set, takenBy(set) - 1};
}

std::vector<std::uint64_t> DataMix::shareOf(std::uint64_t samples)
{
    moveTo(samples);
    std::vector<std::uint64_t> share;
    for (std::size_t set = 0; set < sets(); ++set)
        share.push_back(takenBy(set));
    return share;
}

std::uint64_t DataMix::samplesWithin(const std::vector<std::uint64_t>& rows)
{
    TRAINYARD_CHECK(rows.size() == sets());
    std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t set = 0; set < sets(); ++set)
        rounds = std::min(rounds, rows[set] / static_cast<std::uint64_t>(m_weights[set]));
    std::uint64_t samples = rounds * static_cast<std::uint64_t>(m_period);
    while (true) {
        const Place place = placeOf(samples);
        if (place.sample >= rows[place.set])
            return samples;
        ++samples;
    }
}

} // namespace trainyard
