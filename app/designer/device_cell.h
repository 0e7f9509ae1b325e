#pragma once

#include <QChar>
#include <QRectF>

class QPainter;

namespace trainyard {

struct ThemeColours;

/// One device in the picture of a cluster. What it is shows in shape and colour: a rounded square in the
/// colour of its group, an octagon where the plan does not fit, a dashed outline where no rank runs.
struct DeviceCell {
    QRectF rect;
    int group = 0; ///< colour and, from the ninth on, pattern
    int stage = 0; ///< the number inside, where there is room
    bool free = false;
    bool fits = true;
    bool faded = false; ///< in no group of the current device
    QChar mark{};       ///< of the group that it shares with the current device
};

void paintDeviceCell(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours);
/// The ring around the current device.
void paintDeviceRing(QPainter& painter, const QRectF& rect, const ThemeColours& colours);

} // namespace trainyard
