#pragma once

#include <optional>

class QKeyEvent;
class QPainter;
class QRectF;
class QWidget;

namespace trainyard {

// Painted widgets whose items the arrow keys walk through, in the order of reading.

/// The item that a key moves to among `count` items: left and up one back, right and down one forward, Home
/// and End to the ends, Escape to none. `current`: from 0; nullopt = none. Nullopt if the key has no effect
/// or is held with Ctrl, Alt or Meta.
struct Walk {
    std::optional<int> to;
};
std::optional<Walk> walkOf(const QKeyEvent& event, std::optional<int> current, int count);

/// Paints the focus ring around `area`; does nothing while `widget` has no focus.
void paintFocusRing(QPainter& painter, const QWidget& widget, const QRectF& area);

} // namespace trainyard
