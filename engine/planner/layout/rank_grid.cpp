#include "engine/planner/layout/rank_grid.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

namespace {

bool isPermutation(std::string letters)
{
    std::sort(letters.begin(), letters.end());
    return letters == "DPT";
}

/// What the letter stands for, fastest-varying first.
std::vector<Axis> axesOf(char letter, ExpertPlacement experts)
{
    if (letter != 'D')
        return {letter == 'P' ? Axis::Pipeline : Axis::Tensor};
    if (experts == ExpertPlacement::Inner)
        return {Axis::Context, Axis::Expert, Axis::ExpertCopies};
    return {Axis::Context, Axis::ExpertCopies, Axis::Expert};
}

/// One axis, and how coordinates and other programs call it. The two that make up the data axis have no
/// coordinate of their own.
struct AxisTraits {
    Axis axis;
    int GridCoord::*component;
    const char* megatron;
    const char* deepSpeed;
};

constexpr std::array kAxes{
    AxisTraits{Axis::Context, &GridCoord::context, "cp", "context"},
    AxisTraits{Axis::Pipeline, &GridCoord::pipeline, "pp", "pipe"},
    AxisTraits{Axis::Tensor, &GridCoord::tensor, "tp", "model"},
    AxisTraits{Axis::Expert, nullptr, "ep", "expert"},
    AxisTraits{Axis::ExpertCopies, nullptr, "dp", "data"},
};

const AxisTraits& traitsOf(Axis axis)
{
    return *std::ranges::find(kAxes, axis, &AxisTraits::axis);
}

int degreeOf(const ParallelLayout& layout, Axis axis)
{
    switch (axis) {
    case Axis::Data:
        return layout.data;
    case Axis::Context:
        return layout.context;
    case Axis::Pipeline:
        return layout.pipeline;
    case Axis::Tensor:
        return layout.tensor;
    case Axis::Expert:
        return layout.expert;
    case Axis::ExpertCopies:
        return layout.data / layout.expert;
    }
    return 1;
}

} // namespace

Result<std::string> placementLetters(const std::string& placement)
{
    if (placement == "cluster")
        return std::string("DPT");
    if (placement == "spread")
        return std::string("TPD");
    if (!isPermutation(placement))
        return badInput(fmt::format("layout.placement: \"{}\" is not a placement", placement),
                        "use an order of the letters D, P and T, or \"cluster\" (DPT) or \"spread\" (TPD)");
    return placement;
}

Result<RankGrid> RankGrid::create(const ParallelLayout& layout)
{
    TRAINYARD_TRY(const std::string letters, placementLetters(layout.placement));
    const int least = std::min({layout.data, layout.context, layout.pipeline, layout.tensor, layout.expert});
    if (least < 1)
        return badInput(fmt::format("layout: a degree of {} is too small", least), "use at least 1");
    if (layout.data % layout.expert != 0)
        return badInput(fmt::format("layout.expert: {} does not divide the data-parallel degree {}",
                                    layout.expert, layout.data));
    if (layout.shard < 0 || layout.holders() % layout.shardRanks() != 0)
        return badInput(fmt::format("layout.shard: {} does not divide the {} data-parallel ranks",
                                    layout.shard, layout.holders()));
    RankGrid grid;
    grid.m_shard = layout.shardRanks();
    for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
        for (const Axis axis : axesOf(*letter, layout.expertPlacement)) {
            grid.m_dimensions.push_back({axis, degreeOf(layout, axis), grid.m_size});
            grid.m_size *= grid.m_dimensions.back().degree;
        }
    }
    const int nearest =
        std::min(grid.dimension(Axis::Expert).stride, grid.dimension(Axis::ExpertCopies).stride);
    grid.m_data = {Axis::Data, layout.data, nearest};
    return grid;
}

const RankGrid::Dimension& RankGrid::dimension(Axis axis) const
{
    if (axis == Axis::Data)
        return m_data;
    return *std::ranges::find(m_dimensions, axis, &Dimension::axis);
}

std::vector<Axis> RankGrid::withoutData(const std::vector<Axis>& axes)
{
    std::vector<Axis> plain;
    for (const Axis axis : axes) {
        if (axis != Axis::Data) {
            plain.push_back(axis);
            continue;
        }
        plain.push_back(Axis::Expert);
        plain.push_back(Axis::ExpertCopies);
    }
    return plain;
}

GridCoord RankGrid::coordOf(Rank rank) const
{
    TRAINYARD_CHECK(rank.value >= 0 && rank.value < m_size);
    GridCoord coord{.data = indexOf(rank, m_data)};
    for (const Dimension& d : m_dimensions) {
        if (const auto component = traitsOf(d.axis).component)
            coord.*component = indexOf(rank, d);
    }
    return coord;
}

Rank RankGrid::rankOf(GridCoord coord) const
{
    TRAINYARD_CHECK(coord.data >= 0 && coord.data < m_data.degree);
    int rank = coord.data * m_data.stride;
    for (const Dimension& d : m_dimensions) {
        const auto component = traitsOf(d.axis).component;
        if (!component)
            continue;
        TRAINYARD_CHECK(coord.*component >= 0 && coord.*component < d.degree);
        rank += coord.*component * d.stride;
    }
    return Rank{rank};
}

std::vector<Rank> RankGrid::group(Rank member, const std::vector<Axis>& axes) const
{
    int first = member.value;
    for (const Axis axis : axes)
        first -= indexOf(member, dimension(axis)) * dimension(axis).stride;
    std::vector<Rank> ranks{Rank{first}};
    for (const Axis axis : axes) {
        const Dimension& d = dimension(axis);
        const std::vector<Rank> along = std::exchange(ranks, {});
        for (const Rank rank : along) {
            for (int i = 0; i < d.degree; ++i)
                ranks.push_back(Rank{rank.value + i * d.stride});
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::vector<std::vector<Rank>> RankGrid::shards(Rank member, bool ofExperts) const
{
    const std::vector<Rank> holders = group(member, {Axis::Data, Axis::Context});
    const std::vector<Rank> same = ofExperts ? group(member, {Axis::ExpertCopies, Axis::Context}) : holders;
    std::vector<std::vector<Rank>> shards;
    for (std::size_t i = 0; i < holders.size(); ++i) {
        if (i % static_cast<std::size_t>(m_shard) == 0)
            shards.emplace_back();
        if (std::ranges::binary_search(same, holders[i]))
            shards.back().push_back(holders[i]);
    }
    std::erase_if(shards, [](const std::vector<Rank>& shard) { return shard.empty(); });
    return shards;
}

std::vector<int> RankGrid::coordsAlong(Axis axis, Rank first, int count) const
{
    const Dimension& d = dimension(axis);
    const int from = first.value / d.stride;
    const int last = (first.value + count - 1) / d.stride;
    std::vector<int> coords;
    for (int i = from; i <= std::min(last, from + d.degree - 1); ++i)
        coords.push_back(i % d.degree);
    return coords;
}

int RankGrid::groupNumber(Rank member, const std::vector<Axis>& axes) const
{
    const std::vector<Axis> inside = withoutData(axes);
    int number = 0;
    int groups = 1;
    for (const Dimension& d : m_dimensions) {
        if (std::ranges::find(inside, d.axis) != inside.end())
            continue;
        number += indexOf(member, d) * groups;
        groups *= d.degree;
    }
    return number;
}

bool RankGrid::repeatsEvery(int ranks) const
{
    return m_size <= ranks || std::ranges::all_of(m_dimensions, [ranks](const Dimension& d) {
               const int end = d.stride * d.degree;
               return ranks % end == 0 || d.stride % ranks == 0 ||
                      (end % ranks == 0 && ranks % d.stride == 0);
           });
}

std::vector<Rank> RankGrid::embeddingGroup(Rank member) const
{
    const std::vector<Rank> stages = group(member, Axis::Pipeline);
    if (stages.size() == 1)
        return stages;
    return {stages.front(), stages.back()};
}

std::string RankGrid::megatronOrder() const
{
    std::vector<std::string> tokens;
    for (const Dimension& d : m_dimensions) {
        if (isNamed(d))
            tokens.emplace_back(traitsOf(d.axis).megatron);
    }
    return fmt::format("{}", fmt::join(tokens, "-"));
}

std::string RankGrid::deepSpeedOrder() const
{
    std::vector<std::string> tokens;
    for (auto d = m_dimensions.rbegin(); d != m_dimensions.rend(); ++d) {
        if (isNamed(*d))
            tokens.emplace_back(traitsOf(d->axis).deepSpeed);
    }
    return fmt::format("{}", fmt::join(tokens, "-"));
}

} // namespace trainyard
