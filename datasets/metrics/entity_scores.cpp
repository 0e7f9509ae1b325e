#include "datasets/metrics/entity_scores.h"

#include <algorithm>
#include <iterator>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// "B-PER" is the mark B and the type PER; a mark alone has the type "_".
struct Tag {
    char mark = 'O';
    std::string_view type = "_";
};

Tag tagOf(std::string_view text)
{
    if (text.empty())
        return {};
    Tag tag{text.front(), text.substr(1)};
    if (const std::size_t hyphen = tag.type.find('-'); hyphen != std::string_view::npos)
        tag.type.remove_prefix(hyphen + 1);
    if (tag.type.empty())
        tag.type = "_";
    return tag;
}

bool isOneOf(char mark, std::string_view marks)
{
    return marks.find(mark) != std::string_view::npos;
}

bool marksNothing(char mark)
{
    return isOneOf(mark, "O.");
}

bool endsBetween(const Tag& before, const Tag& after)
{
    if (isOneOf(before.mark, "ES") || (isOneOf(before.mark, "BI") && isOneOf(after.mark, "BSO")))
        return true;
    return !marksNothing(before.mark) && before.type != after.type;
}

bool beginsBetween(const Tag& before, const Tag& after)
{
    if (isOneOf(after.mark, "BS") || (isOneOf(before.mark, "ESO") && isOneOf(after.mark, "EI")))
        return true;
    return !marksNothing(after.mark) && before.type != after.type;
}

double shareOf(std::int64_t part, std::int64_t whole)
{
    return whole == 0 ? 0 : double(part) / double(whole);
}

} // namespace

std::vector<Entity> entitiesOf(const std::vector<std::string>& tags)
{
    std::vector<Entity> entities;
    Tag before;
    std::size_t first = 0;
    for (std::size_t i = 0; i <= tags.size(); ++i) {
        const Tag tag = i < tags.size() ? tagOf(tags[i]) : Tag();
        if (endsBetween(before, tag))
            entities.push_back({std::string(before.type), first, i - 1});
        if (beginsBetween(before, tag))
            first = i;
        before = tag;
    }
    return entities;
}

void EntityScores::add(const std::vector<std::string>& expected, const std::vector<std::string>& predicted)
{
    TRAINYARD_CHECK(expected.size() == predicted.size());
    std::vector<Entity> wanted = entitiesOf(expected);
    std::vector<Entity> found = entitiesOf(predicted);
    std::ranges::sort(wanted);
    std::ranges::sort(found);
    std::vector<Entity> correct;
    std::ranges::set_intersection(wanted, found, std::back_inserter(correct));
    m_expected += static_cast<std::int64_t>(wanted.size());
    m_predicted += static_cast<std::int64_t>(found.size());
    m_correct += static_cast<std::int64_t>(correct.size());
}

void EntityScores::add(const EntityScores& other)
{
    m_expected += other.m_expected;
    m_predicted += other.m_predicted;
    m_correct += other.m_correct;
}

double EntityScores::precision() const
{
    return shareOf(m_correct, m_predicted);
}

double EntityScores::recall() const
{
    return shareOf(m_correct, m_expected);
}

double EntityScores::f1() const
{
    return shareOf(2 * m_correct, m_expected + m_predicted);
}

} // namespace trainyard
