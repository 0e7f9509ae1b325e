#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"

namespace trainyard {

/// Invariant 8 without provenance: a B that follows A shares more words with it than one of another document.
/// Cannot judge a single row, but finds inverted labels.
class OverlapCheck {
public:
    explicit OverlapCheck(std::size_t vocabularySize) : m_seen(vocabularySize) {}

    /// Masked tokens count as their originals.
    void add(const Instance& instance);

    /// Returns a problem if rows with label 1 share significantly more words than those with label 0 (Welch's
    /// t-test), unless there are too few different words or too few rows of one label to decide.
    std::optional<std::string> problem() const;

private:
    struct Moments {
        double count = 0, sum = 0, squares = 0;
        double mean() const { return count == 0 ? 0 : sum / count; }
        /// Squared standard error of the mean.
        double standardError() const;
    };

    std::vector<std::uint64_t> m_seen; ///< by id: the last row whose A has it
    std::uint64_t m_row = 0;
    std::size_t m_distinct = 0; ///< ids in any A
    std::vector<std::int32_t> m_plain;
    Moments m_follows, m_random;
};

} // namespace trainyard
