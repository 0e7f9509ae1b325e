#pragma once

#include <vector>

#include <QRect>

#include "app/plan/device_map.h"

namespace trainyard {

/// How large everything in the picture of a cluster is, in pixels.
struct ClusterScale {
    int cell;
    int gap;      ///< between cells
    int padding;  ///< of a box
    int title;    ///< height; 0 = boxes have no titles
    int boxGap;   ///< between boxes
    int perLine;  ///< cells of a box of few
    int leastBox; ///< width: room for a title
};

/// Where boxes and cells of a cluster's picture lie: boxes flow from left to right and wrap. A plain value.
class ClusterLayout {
public:
    static constexpr int kScales = 5; ///< 0 = largest, with titles; the last one packs a thousand devices

    ClusterLayout() = default;
    ClusterLayout(const DeviceMap& map, int width, int scale);
    /// At the largest scale at which all of it is at most `size` high, else at the smallest.
    static ClusterLayout fitting(const DeviceMap& map, const QSize& size);

    int scaleNumber() const { return m_number; }
    const ClusterScale& scale() const;
    int height() const { return m_height; }
    const QRect& box(int node) const { return m_boxes[static_cast<std::size_t>(node)]; }
    const QRect& cell(int device) const { return m_cells[static_cast<std::size_t>(device)]; }
    /// -1 = none.
    int deviceAt(const QPoint& position) const;
    /// The node in whose box that is; -1 = none.
    int nodeAt(const QPoint& position) const;
    /// The nearest device above (`direction` -1) or below (+1), the same one when there is none.
    int deviceBeyond(int device, int direction) const;

private:
    void addBox(const MappedNode& node, int columns, const QRect& box);

    int m_number = 0;
    int m_height = 0;
    std::vector<QRect> m_boxes;
    std::vector<QRect> m_cells;
};

} // namespace trainyard
