#include "app/designer/cluster_layout.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdlib>

namespace trainyard {

namespace {

constexpr std::array<ClusterScale, ClusterLayout::kScales> kScaleTable{{
    {.cell = 44, .gap = 4, .padding = 12, .title = 24, .boxGap = 12, .perLine = 8, .leastBox = 216},
    {.cell = 28, .gap = 4, .padding = 8, .title = 20, .boxGap = 8, .perLine = 8, .leastBox = 144},
    {.cell = 20, .gap = 4, .padding = 6, .title = 18, .boxGap = 8, .perLine = 8, .leastBox = 64},
    {.cell = 11, .gap = 2, .padding = 4, .title = 0, .boxGap = 4, .perLine = 4, .leastBox = 0},
    {.cell = 7, .gap = 1, .padding = 3, .title = 0, .boxGap = 3, .perLine = 4, .leastBox = 0},
}};

/// Returns the length of a box with `count` cells in a row, or with `count` rows.
int extent(int count, const ClusterScale& scale)
{
    return 2 * scale.padding + count * (scale.cell + scale.gap) - scale.gap;
}

/// Returns the cells per row of a box: about twice as wide as high, and not wider than the picture.
int columnsOf(const MappedNode& node, const ClusterScale& scale, int width)
{
    const int cells = std::max(1, node.shown);
    const int wanted = std::max(scale.perLine, static_cast<int>(std::ceil(std::sqrt(2.0 * cells))));
    const int room = (width - 2 * scale.padding + scale.gap) / (scale.cell + scale.gap);
    return std::max(1, std::min({cells, wanted, room}));
}

QSize boxSize(const MappedNode& node, int columns, const ClusterScale& scale)
{
    const int lines = (std::max(1, node.shown) + columns - 1) / columns;
    return {std::max(scale.leastBox, extent(columns, scale)), extent(lines, scale) + scale.title};
}

int indexAt(const std::vector<QRect>& rects, const QPoint& position)
{
    const auto hit = std::ranges::find_if(rects, [&](const QRect& rect) { return rect.contains(position); });
    return hit == rects.end() ? -1 : static_cast<int>(hit - rects.begin());
}

} // namespace

ClusterLayout::ClusterLayout(const DeviceMap& map, int width, int scale) : m_number(scale)
{
    m_boxes.reserve(map.nodes().size());
    m_cells.reserve(map.devices().size());
    QPoint at(0, 0);
    int lineHeight = 0;
    for (const MappedNode& node : map.nodes()) {
        const int columns = columnsOf(node, this->scale(), width);
        const QSize size = boxSize(node, columns, this->scale());
        if (at.x() > 0 && at.x() + size.width() > width) {
            at = QPoint(0, at.y() + lineHeight + this->scale().boxGap);
            lineHeight = 0;
        }
        addBox(node, columns, QRect(at, size));
        at.rx() += size.width() + this->scale().boxGap;
        lineHeight = std::max(lineHeight, size.height());
    }
    m_height = at.y() + lineHeight;
}

ClusterLayout ClusterLayout::fitting(const DeviceMap& map, const QSize& size)
{
    for (int scale = 0; scale + 1 < kScales; ++scale) {
        ClusterLayout layout(map, size.width(), scale);
        if (layout.height() <= size.height())
            return layout;
    }
    return {map, size.width(), kScales - 1};
}

const ClusterScale& ClusterLayout::scale() const
{
    return kScaleTable[static_cast<std::size_t>(m_number)];
}

void ClusterLayout::addBox(const MappedNode& node, int columns, const QRect& box)
{
    const ClusterScale& s = scale();
    m_boxes.push_back(box);
    const QPoint first = box.topLeft() + QPoint(s.padding, s.padding + s.title);
    for (int slot = 0; slot < node.shown; ++slot) {
        const QPoint place(slot % columns * (s.cell + s.gap), slot / columns * (s.cell + s.gap));
        m_cells.emplace_back(first + place, QSize(s.cell, s.cell));
    }
}

int ClusterLayout::deviceAt(const QPoint& position) const
{
    return indexAt(m_cells, position);
}

int ClusterLayout::nodeAt(const QPoint& position) const
{
    return indexAt(m_boxes, position);
}

int ClusterLayout::deviceBeyond(int device, int direction) const
{
    const QPoint from = cell(device).center();
    const auto distance = [&](const QRect& other) { // the nearest row, then the nearest column in it
        const int down = (other.center().y() - from.y()) * direction;
        return down <= 0 ? std::pair(INT_MAX, 0) : std::pair(down, std::abs(other.center().x() - from.x()));
    };
    const auto nearest = std::ranges::min_element(m_cells, {}, distance);
    return distance(*nearest).first == INT_MAX ? device : static_cast<int>(nearest - m_cells.begin());
}

} // namespace trainyard
