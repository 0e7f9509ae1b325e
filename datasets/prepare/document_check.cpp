#include "datasets/prepare/document_check.h"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

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
    return fmt::format("{} documents give rows for training and for tests, the first is {}", both.size(),
                       both.front());
}

std::optional<std::string> DocumentCheck::coverageProblem(const RowRules& rules, const Manifest& manifest)
{
    const DatasetStatistics& s = manifest.statistics;
    const auto counter = [&](const char* name) {
        const auto found = manifest.counters.find(name);
        return found == manifest.counters.end() ? 0 : found->second;
    };
    // Each pass over a document of one sentence drops it where both sides come from the same document.
    const auto passes = static_cast<std::uint64_t>(std::max(1, manifest.settings.dupeFactor));
    const std::uint64_t withoutRows =
        rules.objective == Objective::Bert ? counter("sentences_without_partner") / passes : 0;
    const std::uint64_t mayMiss = withoutRows + counter("repeated_page_ids");
    const std::uint64_t found = m_training.numbers().size() + m_test.numbers().size();
    if (found + mayMiss >= s.documents && found <= s.documents)
        return std::nullopt;
    return fmt::format(
        "rows come from {} documents for training and {} for tests, the manifest says {} and {}",
        m_training.numbers().size(), m_test.numbers().size(), s.documents - s.testDocuments, s.testDocuments);
}

std::optional<std::string> checkRunningText(const DatasetStatistics& rows, const Manifest& manifest)
{
    const DatasetStatistics& s = manifest.statistics;
    const std::uint64_t stream =
        (s.tokens + s.documents) * static_cast<std::uint64_t>(manifest.settings.dupeFactor);
    const std::uint64_t sides = s.testDocuments > 0 ? 2 : 1;
    const std::uint64_t mostLeft = sides * static_cast<std::uint64_t>(manifest.sequenceLength - 1);
    if (rows.rowTokens <= stream && rows.rowTokens + mostLeft >= stream)
        return std::nullopt;
    return fmt::format("the rows hold {} tokens, the documents of all passes and a [SEP] behind each have {}",
                       rows.rowTokens, stream);
}

} // namespace trainyard
