#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Counts in bins and their expected values.
struct BinnedCounts {
    std::vector<double> observed;
    std::vector<double> expected;

    /// Returns the standard normal deviate of Pearson's chi-square (Wilson and Hilferty 1931); a large one
    /// means that the counts differ from the expected ones. Skips bins that expect fewer than five.
    double deviate() const;
};

/// Collects the positions of masks and the random replacements over many rows.
class UniformityCheck {
public:
    explicit UniformityCheck(const Vocabulary& vocabulary);

    void add(const Instance& instance);

    /// Positions of masks, in tenths of the maskable part of the row.
    const BinnedCounts& positions() const { return m_positions; }
    /// Ids of random replacements, in 64 equal parts of the vocabulary. A replacement that equals the
    /// original or [MASK] is not recognized as one, so frequent pieces are counted less often.
    BinnedCounts replacements() const;

private:
    void addPositions(const Instance& instance);

    const Vocabulary& m_vocabulary;
    BinnedCounts m_positions;
    std::vector<double> m_replacements;
    std::vector<double> m_originals; ///< masked tokens, by id
};

} // namespace trainyard
