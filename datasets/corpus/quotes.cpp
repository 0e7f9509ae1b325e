#include "datasets/corpus/quotes.h"

#include <algorithm>
#include <vector>

namespace trainyard {

namespace {

using std::string_view;

struct QuoteRun {
    std::size_t at;
    std::size_t size;   ///< apostrophes there
    std::size_t markup; ///< of them markup, the last ones: 2 italics, 3 bold, more both
};

/// More than five are five and apostrophes, which nobody means to be read.
std::size_t markupOf(std::size_t run)
{
    return run == 4 ? 3 : run;
}

std::vector<QuoteRun> findRuns(string_view line)
{
    std::vector<QuoteRun> runs;
    for (auto at = line.find("''"); at != string_view::npos; at = line.find("''", at)) {
        const std::size_t size = std::min(line.find_first_not_of('\'', at), line.size()) - at;
        runs.push_back({at, size, markupOf(size)});
        at += size;
    }
    return runs;
}

/// Rates this place for the apostrophe of an elision: best after a word of one letter ("l'''amour''"), then
/// after a longer one, then after a blank.
int elisionRank(string_view line, std::size_t at)
{
    const char before = at > 0 ? line[at - 1] : ' ';
    const char second = at > 1 ? line[at - 2] : ' ';
    if (before == ' ')
        return 1;
    return second == ' ' ? 3 : 2;
}

void findElision(string_view line, std::vector<QuoteRun>& runs)
{
    std::size_t bold = 0;
    std::size_t italic = 0;
    QuoteRun* best = nullptr;
    int bestRank = 0;
    for (QuoteRun& run : runs) {
        bold += run.markup != 2;
        italic += run.markup != 3;
        const int rank = run.markup == 3 ? elisionRank(line, run.at) : 0;
        if (rank > bestRank) {
            best = &run;
            bestRank = rank;
        }
    }
    if (bold % 2 == 1 && italic % 2 == 1 && best)
        best->markup = 2;
}

} // namespace

std::string withoutQuoteMarkup(string_view line)
{
    auto runs = findRuns(line);
    findElision(line, runs);
    std::string out;
    out.reserve(line.size());
    std::size_t done = 0;
    for (const QuoteRun& run : runs) {
        out.append(line.substr(done, run.at + run.size - run.markup - done));
        done = run.at + run.size;
    }
    return out.append(line.substr(done));
}

} // namespace trainyard
