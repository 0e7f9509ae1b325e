#include "datasets/verification/document_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trainyard {

namespace {

std::uint64_t counter(const Manifest& manifest, const char* name)
{
    const auto found = manifest.counters.find(name);
    return found == manifest.counters.end() ? 0 : found->second;
}

/// Lines of JSON and tables may give one id to many documents, which go to one side of the split together.
bool mayShareIds(const Manifest& manifest)
{
    const std::string& format = manifest.settings.format; // "jsonl+parquet"
    const bool namesIds = std::ranges::any_of(std::array{"jsonl", "parquet", "arrow"}, [&](const char* name) {
        return format.find(name) != std::string::npos;
    });
    return namesIds && !manifest.counters.contains("repeated_page_ids");
}

std::optional<std::string> heldOutProblem(const Manifest& manifest)
{
    constexpr double kDeviations = 5, kSlack = 0.005;
    constexpr double kFew = 5; // the tail of small counts is longer than the normal distribution's
    const double share = manifest.settings.testFraction;
    const auto documents = static_cast<double>(manifest.statistics.documents);
    const double slack =
        std::max(kFew + kDeviations * std::sqrt(documents * share * (1 - share)), kSlack * documents) +
        static_cast<double>(counter(manifest, "repeated_page_ids"));
    const double off = static_cast<double>(manifest.statistics.testDocuments) - share * documents;
    if (std::fabs(off) <= (share > 0 ? slack : 0) || (share > 0 && mayShareIds(manifest)))
        return std::nullopt;
    return fmt::format(
        "{} of {} documents are held out for tests, test_fraction {} asks for {:.0f} +- {:.0f}",
        manifest.statistics.testDocuments, manifest.statistics.documents, share, share * documents, slack);
}

/// With the end of each document, if there is one. With weights the training documents have other passes than
/// --dupe.
std::uint64_t tokensOfAllPasses(const Manifest& manifest)
{
    const std::uint64_t end = manifest.endsDocuments() ? 1 : 0;
    const auto passes = static_cast<std::uint64_t>(manifest.settings.dupeFactor);
    std::uint64_t tokens = (manifest.statistics.tokens + end * manifest.statistics.documents) * passes;
    for (const MixedSource& source : manifest.sources) {
        tokens -= (source.tokens + end * source.documents) * passes;
        tokens += source.mixedTokens + end * source.mixedDocuments;
    }
    return tokens;
}

std::optional<std::string> rowCountProblem(const Manifest& manifest)
{
    const DatasetStatistics& s = manifest.statistics;
    const auto passes = static_cast<std::uint64_t>(std::max(0, manifest.settings.dupeFactor));
    const std::uint64_t rows = manifest.trainingRows() + manifest.testRows();
    const std::uint64_t dropped = counter(manifest, "sentences_without_partner");
    if (!manifest.sources.empty())
        return std::nullopt; // some documents have no rows, others more than --dupe passes
    if (rows <= s.sentences * passes && rows + dropped >= s.documents * passes)
        return std::nullopt;
    return fmt::format("{} passes over {} documents of {} sentences cannot give {} rows", passes, s.documents,
                       s.sentences, rows);
}

} // namespace

void NumberSet::add(std::int64_t number)
{
    constexpr std::size_t fewest = 4096;
    if (!m_numbers.empty() && m_numbers.back() == number)
        return;
    m_numbers.push_back(number);
    if (m_numbers.size() > std::max(fewest, 2 * m_sorted))
        sort();
}

const std::vector<std::int64_t>& NumberSet::numbers()
{
    sort();
    return m_numbers;
}

void NumberSet::sort()
{
    std::sort(m_numbers.begin(), m_numbers.end());
    m_numbers.erase(std::unique(m_numbers.begin(), m_numbers.end()), m_numbers.end());
    m_sorted = m_numbers.size();
}

void DocumentCheck::add(const RowBlock& rows, bool training)
{
    NumberSet& side = training ? m_training : m_test;
    for (const auto* documents : {&rows.documentA, &rows.documentB}) {
        for (const std::int64_t document : *documents)
            side.add(document);
    }
}

std::optional<std::string> DocumentCheck::problem(const RowRules& rules,
                                                  const std::optional<Manifest>& manifest)
{
    if (auto problem = splitProblem())
        return problem;
    return manifest ? coverageProblem(rules, *manifest) : std::nullopt;
}

std::optional<std::string> DocumentCheck::splitProblem()
{
    std::vector<std::int64_t> both;
    std::set_intersection(m_training.numbers().begin(), m_training.numbers().end(), m_test.numbers().begin(),
                          m_test.numbers().end(), std::back_inserter(both));
    if (both.empty())
        return std::nullopt;
    return fmt::format("{} documents have rows in both training and test shards, the first is {}",
                       both.size(), both.front());
}

std::optional<std::string> DocumentCheck::coverageProblem(const RowRules& rules, const Manifest& manifest)
{
    const DatasetStatistics& s = manifest.statistics;
    // Each pass over a document of one sentence drops it where both sides come from the same document.
    const auto passes = static_cast<std::uint64_t>(std::max(1, manifest.settings.dupeFactor));
    const std::uint64_t withoutRows =
        rules.objective == Objective::Bert ? counter(manifest, "sentences_without_partner") / passes : 0;
    const std::uint64_t mayMiss = withoutRows + counter(manifest, "repeated_page_ids");
    const std::uint64_t found = m_training.numbers().size() + m_test.numbers().size();
    const bool mayMissAny = !manifest.sources.empty(); // an input may be used in part
    if ((mayMissAny || found + mayMiss >= s.documents) && found <= s.documents)
        return std::nullopt;
    return fmt::format(
        "rows come from {} documents for training and {} for tests, the manifest says {} and {}",
        m_training.numbers().size(), m_test.numbers().size(), s.documents - s.testDocuments, s.testDocuments);
}

std::optional<std::string> checkCounts(const Manifest& manifest, const RowRules& rules)
{
    const DatasetStatistics& s = manifest.statistics;
    if (s.testDocuments > s.documents || s.documents > s.sentences || s.sentences > s.tokens)
        return fmt::format("{} documents ({} for tests), {} sentences and {} tokens are inconsistent",
                           s.documents, s.testDocuments, s.sentences, s.tokens);
    if (auto problem = heldOutProblem(manifest))
        return problem;
    return rules.masks() ? rowCountProblem(manifest) : std::nullopt;
}

std::optional<std::string> checkRunningText(const DatasetStatistics& rows, const Manifest& manifest)
{
    const DatasetStatistics& s = manifest.statistics;
    const std::uint64_t stream = tokensOfAllPasses(manifest);
    const std::uint64_t sides = s.testDocuments > 0 ? 2 : 1;
    const std::uint64_t mostLeft = sides * static_cast<std::uint64_t>(manifest.sequenceLength - 1);
    if (rows.rowTokens <= stream && rows.rowTokens + mostLeft >= stream)
        return std::nullopt;
    return fmt::format("the rows hold {} tokens, the documents of all passes and their ends have {}",
                       rows.rowTokens, stream);
}

} // namespace trainyard
