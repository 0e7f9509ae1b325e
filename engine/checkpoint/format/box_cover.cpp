#include "engine/checkpoint/format/box_cover.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace trainyard {

namespace {

struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// By dimension, the outermost first.
using Extents = std::vector<Interval>;

/// Index spaces of one tensor that are joined step by step.
struct Boxes {
    std::vector<std::int64_t> shape;
    std::vector<Extents> extents;
};

Boxes withoutEmptyOnes(const std::vector<std::int64_t>& shape, const std::vector<TensorBox>& boxes)
{
    Boxes filled{shape, {}};
    for (const TensorBox& box : boxes) {
        if (elementCount(box.shape) == 0)
            continue;
        Extents& extents = filled.extents.emplace_back();
        for (std::size_t d = 0; d < shape.size(); ++d)
            extents.push_back({box.begin[d], box.begin[d] + box.shape[d]});
    }
    return filled;
}

/// Dimensions d and d + 1 may become one where each box stays one interval in it.
bool canJoin(const Boxes& boxes, std::size_t d)
{
    std::int64_t product = 0;
    if (__builtin_mul_overflow(boxes.shape[d], boxes.shape[d + 1], &product))
        return false;
    return std::ranges::all_of(boxes.extents, [&](const Extents& box) {
        return box[d].end - box[d].begin == 1 || box[d + 1].end - box[d + 1].begin == boxes.shape[d + 1];
    });
}

void join(Boxes& boxes, std::size_t d)
{
    const std::int64_t width = boxes.shape[d + 1];
    const auto behind = static_cast<std::ptrdiff_t>(d + 1);
    for (Extents& box : boxes.extents) {
        box[d] = {box[d].begin * width + box[d + 1].begin, (box[d].end - 1) * width + box[d + 1].end};
        box.erase(box.begin() + behind);
    }
    boxes.shape[d] *= width;
    boxes.shape.erase(boxes.shape.begin() + behind);
}

/// Ranges of the row-major tensor become intervals, those of a column cut rectangles.
void joinDimensions(Boxes& boxes)
{
    for (std::size_t d = boxes.shape.size(); d-- > 1;) {
        if (canJoin(boxes, d - 1))
            join(boxes, d - 1);
    }
}

struct Rectangle {
    Interval rows;
    Interval columns;
};

/// Columns of the rectangles that the sweep has reached and not yet passed; they are disjoint.
class ActiveColumns {
public:
    void leaveBehind(std::int64_t row)
    {
        while (!m_ends.empty() && m_ends.top().first <= row) {
            m_columns.erase(m_ends.top().second);
            m_ends.pop();
        }
    }
    /// False where they meet others.
    bool add(const Rectangle& rectangle)
    {
        const auto [begin, end] = rectangle.columns;
        const auto next = m_columns.lower_bound(begin);
        if (next != m_columns.end() && next->first < end)
            return false;
        if (next != m_columns.begin() && std::prev(next)->second > begin)
            return false;
        m_columns.emplace_hint(next, begin, end);
        m_ends.emplace(rectangle.rows.end, begin);
        return true;
    }

private:
    using End = std::pair<std::int64_t, std::int64_t>; // row, first column

    std::map<std::int64_t, std::int64_t> m_columns;
    std::priority_queue<End, std::vector<End>, std::greater<>> m_ends;
};

bool rectanglesOverlap(std::vector<Rectangle> rectangles)
{
    std::ranges::sort(rectangles, {}, [](const Rectangle& rectangle) { return rectangle.rows.begin; });
    ActiveColumns active;
    return std::ranges::any_of(rectangles, [&active](const Rectangle& rectangle) {
        active.leaveBehind(rectangle.rows.begin);
        return !active.add(rectangle);
    });
}

/// Of the dimensions from `first` on.
bool overlapFrom(std::size_t first, const std::vector<const Extents*>& boxes);

/// Between two cuts of dimension `first` the boxes do not change.
bool overlapBySlabs(std::size_t first, const std::vector<const Extents*>& boxes)
{
    std::vector<std::int64_t> cuts;
    for (const Extents* box : boxes)
        cuts.push_back((*box)[first].begin);
    std::ranges::sort(cuts);
    const auto repeated = std::ranges::unique(cuts);
    cuts.erase(repeated.begin(), repeated.end());
    return std::ranges::any_of(cuts, [&](std::int64_t cut) {
        std::vector<const Extents*> slab;
        std::ranges::copy_if(boxes, std::back_inserter(slab), [&](const Extents* box) {
            return (*box)[first].begin <= cut && cut < (*box)[first].end;
        });
        return overlapFrom(first + 1, slab);
    });
}

bool overlapFrom(std::size_t first, const std::vector<const Extents*>& boxes)
{
    if (boxes.size() < 2)
        return false;
    const std::size_t dimensions = boxes.front()->size() - first;
    if (dimensions == 0)
        return true;
    if (dimensions > 2)
        return overlapBySlabs(first, boxes);
    std::vector<Rectangle> rectangles;
    for (const Extents* box : boxes)
        rectangles.push_back({(*box)[first], dimensions == 2 ? (*box)[first + 1] : Interval{0, 1}});
    return rectanglesOverlap(std::move(rectangles));
}

} // namespace

bool anyOverlap(const std::vector<std::int64_t>& shape, const std::vector<TensorBox>& boxes)
{
    Boxes filled = withoutEmptyOnes(shape, boxes);
    joinDimensions(filled);
    std::vector<const Extents*> all;
    for (const Extents& extents : filled.extents)
        all.push_back(&extents);
    return overlapFrom(0, all);
}

} // namespace trainyard
