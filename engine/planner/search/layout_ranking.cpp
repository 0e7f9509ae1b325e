#include "engine/planner/search/layout_ranking.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "engine/planner/search/tradeoffs.h"

namespace trainyard {

namespace {

constexpr double kFarBehind = 1.25;

std::vector<FoundLayout> spread(std::vector<FoundLayout> layouts, std::size_t count)
{
    if (layouts.size() <= count)
        return layouts;
    std::vector<FoundLayout> chosen;
    for (std::size_t i = 0; i < count; ++i)
        chosen.push_back(layouts[i * (layouts.size() - 1) / std::max<std::size_t>(1, count - 1)]);
    return chosen;
}

} // namespace

double scoreOf(const FoundLayout& layout, SearchObjective objective)
{
    switch (objective) {
    case SearchObjective::Time:
        return layout.time.seconds;
    case SearchObjective::Cost:
        return layout.costPerMillionSequences;
    case SearchObjective::Memory:
        return static_cast<double>(layout.onDevice);
    }
    return 0;
}

void rank(std::vector<FoundLayout>& layouts, SearchObjective objective)
{
    std::stable_sort(layouts.begin(), layouts.end(), [objective](const auto& a, const auto& b) {
        return scoreOf(a, objective) < scoreOf(b, objective);
    });
}

std::vector<FoundLayout> bestOfDegrees(const std::vector<FoundLayout>& ranked, std::size_t count)
{
    std::set<std::tuple<int, int, int, int, int>> seen;
    std::vector<FoundLayout> chosen;
    for (const FoundLayout& layout : ranked) {
        const ParallelLayout& degrees = layout.spec.layout;
        if (chosen.size() < count &&
            seen.insert({degrees.data, degrees.expert, degrees.context, degrees.tensor, degrees.pipeline})
                .second)
            chosen.push_back(layout);
    }
    return chosen;
}

std::vector<FoundLayout> bestCompromises(const std::vector<FoundLayout>& ranked, SearchObjective objective,
                                         std::size_t count)
{
    if (ranked.empty())
        return {};
    const double limit = kFarBehind * scoreOf(ranked.front(), objective);
    const auto end = std::find_if(ranked.begin(), ranked.end(), [&](const FoundLayout& layout) {
        return scoreOf(layout, objective) > limit;
    });
    return spread(paretoSet({ranked.begin(), end}), count);
}

} // namespace trainyard
