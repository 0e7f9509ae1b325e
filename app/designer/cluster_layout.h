#pragma once

#include <vector>

#include <QRect>

#include "app/plan/device_map.h"

namespace trainyard {

/// Sizes in the picture of a cluster, in pixels.
struct ClusterScale {
    int cell;
    int gap;      ///< between cells
    int padding;  ///< inside a box
    int title;    ///< height; 0 = boxes have no titles
    int boxGap;   ///< between boxes
    int perLine;  ///< cells per line of a small box
    int leastBox; ///< minimum width, for a title
};

/// Positions of boxes and cells in the picture of a cluster: boxes flow from left to right and wrap. A plain
/// value.
class ClusterLayout {
public:
    static constexpr int kScales = 5; ///< 0 = largest, with titles; the last one fits a thousand devices

    ClusterLayout() = default;
    ClusterLayout(const DeviceMap& map, int width, int scale);
    /// Uses the largest scale whose height is at most that of `size`, else the smallest.
    static ClusterLayout fitting(const DeviceMap& map, const QSize& size);

    int scaleNumber() const { return m_number; }
    const ClusterScale& scale() const;
    int height() const { return m_height; }
    const QRect& box(int node) const { return m_boxes[static_cast<std::size_t>(node)]; }
    const QRect& cell(int device) const { return m_cells[static_cast<std::size_t>(device)]; }
    /// Returns -1 if there is none.
    int deviceAt(const QPoint& position) const;
    /// Returns the node whose box contains the point, or -1.
    int nodeAt(const QPoint& position) const;
    /// Returns the nearest device above (`direction` -1) or below (+1), or the same one if there is none.
    int deviceBeyond(int device, int direction) const;

private:
    void addBox(const MappedNode& node, int columns, const QRect& box);

    int m_number = 0;
    int m_height = 0;
    std::vector<QRect> m_boxes;
    std::vector<QRect> m_cells;
};

} // namespace trainyard
