#include "datasets/tokenizer_json/code_point_set.h"

#include <algorithm>

#include "datasets/corpus/code_points.h"
#include "datasets/tokenizer_json/property_tables.h"

namespace trainyard {

CodePointSet::CodePointSet(std::vector<Range> ranges)
{
    std::ranges::sort(ranges, {}, &Range::first);
    for (const Range& range : ranges) {
        if (m_ranges.empty() || range.first > m_ranges.back().last + 1)
            m_ranges.push_back(range);
        else
            m_ranges.back().last = std::max(m_ranges.back().last, range.last);
    }
}

CodePointSet CodePointSet::parse(std::string_view table)
{
    std::vector<Range> ranges;
    for (const CodePointRange& range : codePoints(table))
        ranges.push_back({range.first, range.last});
    return CodePointSet(std::move(ranges));
}

bool CodePointSet::contains(char32_t code) const
{
    const auto after = std::ranges::upper_bound(m_ranges, code, {}, &Range::first);
    return after != m_ranges.begin() && code <= std::prev(after)->last;
}

CodePointSet CodePointSet::operator|(const CodePointSet& other) const
{
    std::vector<Range> all = m_ranges;
    all.insert(all.end(), other.m_ranges.begin(), other.m_ranges.end());
    return CodePointSet(std::move(all));
}

CodePointSet CodePointSet::operator&(const CodePointSet& other) const
{
    return ~(~*this | ~other);
}

CodePointSet CodePointSet::operator~() const
{
    CodePointSet gaps;
    char32_t next = 0;
    for (const Range& range : m_ranges) {
        if (range.first > next)
            gaps.m_ranges.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= kLast)
        gaps.m_ranges.push_back({next, kLast});
    return gaps;
}

std::optional<CodePointSet> codePointsWith(std::string_view name)
{
    std::optional<CodePointSet> found;
    const bool isMajor = name.size() == 1;
    for (const PropertyTable& table : propertyTables()) {
        const bool isCategory = table.name.size() == 2;
        if (table.name == name || (isMajor && isCategory && table.name.starts_with(name)))
            found = found.value_or(CodePointSet()) | CodePointSet::parse(table.members);
    }
    return found;
}

} // namespace trainyard
