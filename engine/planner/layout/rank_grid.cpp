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
std::vector<Axis> axesOf(char letter)
{
    if (letter == 'D')
        return {Axis::Context, Axis::Data};
    return {letter == 'P' ? Axis::Pipeline : Axis::Tensor};
}

/// One axis, and how layouts, coordinates and other programs call it.
struct AxisTraits {
    Axis axis;
    int ParallelLayout::*degree;
    int GridCoord::*component;
    const char* megatron;
    const char* deepSpeed;
};

constexpr std::array kAxes{
    AxisTraits{Axis::Data, &ParallelLayout::data, &GridCoord::data, "dp", "data"},
    AxisTraits{Axis::Context, &ParallelLayout::context, &GridCoord::context, "cp", "context"},
    AxisTraits{Axis::Pipeline, &ParallelLayout::pipeline, &GridCoord::pipeline, "pp", "pipe"},
    AxisTraits{Axis::Tensor, &ParallelLayout::tensor, &GridCoord::tensor, "tp", "model"},
};

const AxisTraits& traitsOf(Axis axis)
{
    return *std::ranges::find(kAxes, axis, &AxisTraits::axis);
}

int& component(GridCoord& coord, Axis axis)
{
    return coord.*traitsOf(axis).component;
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
    RankGrid grid;
    for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
        for (const Axis axis : axesOf(*letter)) {
            const int degree = layout.*traitsOf(axis).degree;
            if (degree < 1)
                return badInput(fmt::format("layout: a degree of {} is too small", degree), "use at least 1");
            grid.m_dimensions.push_back({axis, degree, grid.m_size});
            grid.m_size *= degree;
        }
    }
    return grid;
}

const RankGrid::Dimension& RankGrid::dimension(Axis axis) const
{
    return *std::find_if(m_dimensions.begin(), m_dimensions.end(),
                         [axis](const Dimension& d) { return d.axis == axis; });
}

GridCoord RankGrid::coordOf(Rank rank) const
{
    TRAINYARD_CHECK(rank.value >= 0 && rank.value < m_size);
    GridCoord coord;
    for (const Dimension& d : m_dimensions)
        component(coord, d.axis) = rank.value / d.stride % d.degree;
    return coord;
}

Rank RankGrid::rankOf(GridCoord coord) const
{
    int rank = 0;
    for (const Dimension& d : m_dimensions) {
        TRAINYARD_CHECK(component(coord, d.axis) >= 0 && component(coord, d.axis) < d.degree);
        rank += component(coord, d.axis) * d.stride;
    }
    return Rank{rank};
}

std::vector<Rank> RankGrid::group(Rank member, const std::vector<Axis>& axes) const
{
    GridCoord origin = coordOf(member);
    for (const Axis axis : axes)
        component(origin, axis) = 0;
    std::vector<Rank> ranks{rankOf(origin)};
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
    GridCoord coord = coordOf(member);
    int number = 0;
    int groups = 1;
    for (const Dimension& d : m_dimensions) {
        if (std::ranges::find(axes, d.axis) != axes.end())
            continue;
        number += component(coord, d.axis) * groups;
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
