#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// The special tokens around the texts of a row: "before A behind", or of two texts "pairBefore A between B
/// pairBehind".
struct RowFrame {
    std::vector<std::int32_t> before;
    std::vector<std::int32_t> behind;
    std::vector<std::int32_t> pairBefore;
    std::vector<std::int32_t> between;
    std::vector<std::int32_t> pairBehind;
    /// Tokens of `between` that are in the segment of A, as all before them; nullopt: a pair is one segment.
    std::optional<std::size_t> betweenOfFirst;

    std::size_t ofText() const { return before.size() + behind.size(); }
    std::size_t ofPair() const { return pairBefore.size() + between.size() + pairBehind.size(); }
    /// Texts begin and end with a token, as encoders need it.
    bool hasEnds() const
    {
        return !before.empty() && !behind.empty() && !pairBefore.empty() && !pairBehind.empty();
    }
};

/// "[CLS] A [SEP]" and "[CLS] A [SEP] B [SEP]".
inline RowFrame bertFrame(const SpecialTokens& special)
{
    return {{special.classify},  {special.separator}, {special.classify},
            {special.separator}, {special.separator}, 1};
}

} // namespace trainyard
