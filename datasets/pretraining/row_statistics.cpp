#include "datasets/pretraining/row_statistics.h"

#include <algorithm>

namespace trainyard {

namespace {

constexpr std::size_t kLengthBins = 16;

std::size_t lengthBin(std::size_t length, int sequenceLength)
{
    return (length - 1) * kLengthBins / static_cast<std::size_t>(sequenceLength);
}

} // namespace

void addRow(DatasetStatistics& s, const Instance& instance, int sequenceLength, std::int32_t maskId)
{
    s.lengthHistogram.resize(kLengthBins);
    ++s.lengthHistogram[lengthBin(instance.tokens.size(), sequenceLength)];
    s.rowTokens += instance.tokens.size();
    s.fullRows += instance.tokens.size() == static_cast<std::size_t>(sequenceLength);
    s.randomNext += instance.randomNext;
    s.singleSentence += instance.singleSentence;
    s.masked += instance.maskedIds.size();
    for (std::size_t i = 0; i < instance.maskedIds.size(); ++i) {
        const std::int32_t shown = instance.tokens[static_cast<std::size_t>(instance.maskedPositions[i])];
        ++(shown == maskId ? s.maskToken : shown == instance.maskedIds[i] ? s.keptToken : s.randomToken);
    }
}

void addRows(DatasetStatistics& sum, const DatasetStatistics& more)
{
    sum.rowTokens += more.rowTokens;
    sum.fullRows += more.fullRows;
    sum.randomNext += more.randomNext;
    sum.singleSentence += more.singleSentence;
    sum.masked += more.masked;
    sum.maskToken += more.maskToken;
    sum.keptToken += more.keptToken;
    sum.randomToken += more.randomToken;
    sum.lengthHistogram.resize(std::max(sum.lengthHistogram.size(), more.lengthHistogram.size()));
    for (std::size_t i = 0; i < more.lengthHistogram.size(); ++i)
        sum.lengthHistogram[i] += more.lengthHistogram[i];
}

} // namespace trainyard
