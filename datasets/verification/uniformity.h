#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/pretraining/instance.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Counts in bins beside their expected values.
struct BinnedCounts {
    std::vector<double> observed;
    std::vector<double> expected;

    /// Standard normal deviate of Pearson's chi-square (Wilson and Hilferty 1931); large = not as expected.
    /// Bins that expect fewer than five are left out.
    double deviate() const;
};

/// Gathers, over many rows, where masks fall and what random replacements are drawn.
class UniformityCheck {
public:
    explicit UniformityCheck(const Vocabulary& vocabulary);

    void add(const Instance& instance);

    /// Position of masks, as tenths of the maskable part of the row.
    const BinnedCounts& positions() const { return m_positions; }
    /// Ids of random replacements, as 64 equal parts of the vocabulary. One that is the original, or [MASK],
    /// is not seen as a replacement, so frequent pieces are seen less often.
    BinnedCounts replacements() const;

private:
    void addPositions(const Instance& instance);

    const Vocabulary& m_vocabulary;
    BinnedCounts m_positions;
    std::vector<double> m_replacements;
    std::vector<double> m_originals; ///< masked tokens, by id
};

} // namespace trainyard
