#include "datasets/verification/share_checks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trainyard {

namespace {

double deviation(double share, double count)
{
    return std::sqrt(share * (1 - share) / std::max(count, 1.0));
}

double part(std::uint64_t some, std::uint64_t all)
{
    return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

std::optional<std::string> outside(double share, double lowest, double highest, double slack)
{
    if (share >= lowest - slack && share <= highest + slack)
        return std::nullopt;
    return fmt::format("{:.2f} % of the rows have the label 1, expected {:.2f} to {:.2f} %", 100 * share,
                       100 * (lowest - slack), 100 * (highest + slack));
}

/// A single document of its kind has no random next sentences; its share is meaningless.
bool hasLoneDocument(const std::optional<Manifest>& manifest)
{
    if (!manifest)
        return false;
    const DatasetStatistics& s = manifest->statistics;
    return s.testDocuments == 1 || s.documents - s.testDocuments == 1;
}

} // namespace

std::optional<std::string> checkMaskShares(const DatasetStatistics& statistics, std::size_t vocabularySize)
{
    struct Kind {
        const char* name;
        std::uint64_t count;
        double expected;
    };
    const double hit = 0.1 / static_cast<double>(vocabularySize); // a random word that is one certain piece
    const std::array<Kind, 3> kinds{{{"[MASK]", statistics.maskToken, 0.8 + hit},
                                     {"kept", statistics.keptToken, 0.1 + hit},
                                     {"random", statistics.randomToken, 0.1 - 2 * hit}}};
    for (const Kind& kind : kinds) {
        const double share = part(kind.count, statistics.masked);
        const double tolerance =
            std::max(4 * deviation(kind.expected, static_cast<double>(statistics.masked)), 0.003);
        if (std::fabs(share - kind.expected) > tolerance)
            return fmt::format("{:.2f} % of the masked positions are {}, expected {:.2f} +- {:.2f} %",
                               100 * share, kind.name, 100 * kind.expected, 100 * tolerance);
    }
    return std::nullopt;
}

std::optional<std::string> checkLabels(const DatasetStatistics& statistics, std::uint64_t rows,
                                       const RowRules& rules, const std::optional<Manifest>& manifest)
{
    const double share = part(statistics.randomNext, rows);
    if (!rules.labels())
        return outside(share, 0, 0, 0);
    if (!rules.randomPairs())
        return outside(share, 0.5, 0.5, 4 * deviation(0.5, static_cast<double>(rows)));
    if (hasLoneDocument(manifest))
        return std::nullopt;
    if (!manifest)
        return outside(share, 0.50, 0.60, 4 * deviation(0.5, static_cast<double>(rows)));
    // Chunks of one sentence are always random, all others half of the time.
    const std::uint64_t single = manifest->statistics.singleSentence;
    const double tossed = static_cast<double>(rows - std::min(single, rows));
    const double expected = (static_cast<double>(single) + 0.5 * tossed) / static_cast<double>(rows);
    return outside(share, expected, expected, 4 * 0.5 * std::sqrt(tossed) / static_cast<double>(rows));
}

std::optional<std::string> checkShardLabels(const DatasetStatistics& shard, std::uint64_t rows,
                                            const RowRules& rules, const std::optional<Manifest>& manifest)
{
    if (!rules.randomPairs() || hasLoneDocument(manifest) || rows == 0)
        return std::nullopt;
    const double slack = 4 * deviation(0.5, static_cast<double>(rows));
    double highest = 0.65;
    if (manifest) { // a corpus of many one-sentence chunks may lie above the usual range
        const std::uint64_t all = manifest->trainingRows() + manifest->testRows();
        highest = std::max(highest, 0.5 + 0.5 * part(manifest->statistics.singleSentence, all));
    }
    return outside(part(shard.randomNext, rows), 0.45, highest, slack);
}

std::optional<std::string> checkRowLengths(const DatasetStatistics& statistics, std::uint64_t rows,
                                           const std::optional<Manifest>& manifest)
{
    constexpr std::uint64_t fewRows = 1000, fewDocuments = 100;
    if (!manifest || rows < fewRows || manifest->statistics.documents < fewDocuments)
        return std::nullopt;
    const double meanDocument = part(manifest->statistics.tokens, manifest->statistics.documents);
    if (statistics.fullRows == 0 && meanDocument > 4 * manifest->sequenceLength)
        return fmt::format("no row has all {} tokens, and the documents have {:.0f} on average",
                           manifest->sequenceLength, meanDocument);
    // A side begun is taken to the end of its sentence: long sentences fill all rows.
    const bool shortSentences =
        part(manifest->statistics.tokens, manifest->statistics.sentences) < manifest->sequenceLength / 3.0;
    if (statistics.fullRows == rows && manifest->settings.shortSequenceShare > 0 && shortSentences)
        return fmt::format("all rows have {} tokens; ends of documents and short rows are missing",
                           manifest->sequenceLength);
    return std::nullopt;
}

std::optional<std::string> checkUniformity(const UniformityCheck& uniformity, bool wholeWords)
{
    constexpr double kLimit = 4.75; // p = 1e-6
    if (const double z = uniformity.positions().deviate(); z > kLimit && !wholeWords)
        return fmt::format("masked positions are not spread evenly over the rows (z = {:.1f})", z);
    if (const double z = uniformity.replacements().deviate(); z > kLimit)
        return fmt::format("random replacements are not spread evenly over the vocabulary (z = {:.1f})", z);
    return std::nullopt;
}

bool sameRowStatistics(const DatasetStatistics& a, const DatasetStatistics& b)
{
    return a.rowTokens == b.rowTokens && a.fullRows == b.fullRows && a.randomNext == b.randomNext &&
           a.masked == b.masked && a.maskToken == b.maskToken && a.keptToken == b.keptToken &&
           a.randomToken == b.randomToken && a.lengthHistogram == b.lengthHistogram;
}

void copyDocumentStatistics(const DatasetStatistics& from, DatasetStatistics& to)
{
    to.documents = from.documents;
    to.testDocuments = from.testDocuments;
    to.sentences = from.sentences;
    to.tokens = from.tokens;
    to.singleSentence = from.singleSentence;
}

} // namespace trainyard
