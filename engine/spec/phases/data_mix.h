#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Weights of a mix have six decimals: one is this many units.
constexpr double kWeightUnits = 1e6;

/// Deals the samples of a run to its data sets by weight. After any number of samples each data set has had
/// less than one sample more or fewer than its weight's share of them (Tijdeman, "The chairman assignment
/// problem", Discrete Mathematics 32, 1980: among the data sets that may have the next sample, the one whose
/// latest turn comes first). Taking the largest deficit, as Megatron-LM does, can miss that by more with
/// three data sets.
///
/// A pure function of the weights and the sample's number, the same on every rank: a run can stop anywhere
/// and continue with any number of ranks. The order repeats once all data sets have had whole numbers of
/// samples, and reading forward continues where the last call was; a jump deals what is before it in its
/// round. One thread.
class DataMix {
public:
    /// The data set of a sample, and which of its own samples that is, from 0.
    struct Place {
        std::size_t set = 0;
        std::uint64_t sample = 0;

        bool operator==(const Place&) const = default;
    };

    explicit DataMix(const DatasetSpec& dataset);
    /// `weights`: positive, with at most six decimals.
    explicit DataMix(const std::vector<double>& weights);

    std::size_t sets() const { return m_weights.size(); }
    Place placeOf(std::uint64_t sample);
    /// How many of the first `samples` samples each data set has.
    std::vector<std::uint64_t> shareOf(std::uint64_t samples);
    /// The most samples of which no data set has more than it has rows. `rows`: of each data set.
    std::uint64_t samplesWithin(const std::vector<std::uint64_t>& rows);

private:
    std::size_t deal();
    void moveTo(std::uint64_t sample);
    std::uint64_t takenBy(std::size_t set) const;

    std::vector<std::int64_t> m_weights; ///< whole numbers without a common divisor
    std::int64_t m_period = 0;           ///< their sum: samples after which the order repeats
    std::uint64_t m_round = 0;           ///< periods before the present one
    std::int64_t m_dealt = 0;            ///< samples of the present one
    std::vector<std::int64_t> m_taken;   ///< by each data set, of these
    std::vector<std::int64_t> m_surplus; ///< weight x dealt - period x taken
};

} // namespace trainyard
