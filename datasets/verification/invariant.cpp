#include "datasets/verification/invariant.h"

#include <fmt/format.h>

namespace trainyard {

std::string_view nameOf(Invariant invariant)
{
    switch (invariant) {
    case Invariant::Columns:
        return "columns";
    case Invariant::Padding:
        return "padding";
    case Invariant::SpecialTokens:
        return "special tokens";
    case Invariant::Segments:
        return "segments";
    case Invariant::Predictions:
        return "predictions";
    case Invariant::MaskShares:
        return "mask shares";
    case Invariant::RandomNext:
        return "label share";
    case Invariant::NextSentences:
        return "next sentences";
    case Invariant::RowLengths:
        return "row lengths";
    case Invariant::Documents:
        return "documents";
    case Invariant::ShardSizes:
        return "shard sizes";
    case Invariant::Hashes:
        return "hashes";
    case Invariant::Pieces:
        return "pieces";
    case Invariant::Uniformity:
        return "uniformity";
    case Invariant::Statistics:
        return "statistics";
    }
    return "unknown";
}

std::string Violation::text() const
{
    const std::string place = file.empty() ? "data set" : file;
    const std::string where = row ? fmt::format("{}, row {}", place, *row) : place;
    return fmt::format("{}: {} (invariant {}): {}", where, nameOf(invariant), static_cast<int>(invariant),
                       problem);
}

} // namespace trainyard
