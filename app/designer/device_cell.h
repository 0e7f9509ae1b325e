#pragma once

#include <QChar>
#include <QRectF>

class QPainter;

namespace trainyard {

struct ThemeColours;

/// One device in the picture of a cluster, identified by shape and colour: a rounded square in its group's
/// colour, an octagon if the plan does not fit, a dashed outline if it has no rank.
struct DeviceCell {
    QRectF rect;
    int group = 0; ///< colour and, from the ninth group on, pattern
    int stage = 0; ///< the number inside, if there is space
    bool free = false;
    bool fits = true;
    bool faded = false; ///< not in a group of the current device
    QChar mark{};       ///< of the group shared with the current device
};

void paintDeviceCell(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours);
/// Paints the ring around the current device.
void paintDeviceRing(QPainter& painter, const QRectF& rect, const ThemeColours& colours);

} // namespace trainyard
