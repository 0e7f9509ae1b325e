#pragma once

#include <optional>

class QKeyEvent;
class QPainter;
class QRectF;
class QWidget;

namespace trainyard {

// Painted widgets whose items the arrow keys walk through, in the order of reading.

/// Where a key leads among `count` items: left and up a step back, right and down one on, Home and End to the
/// ends, Escape to none. `current`: from 0; nothing = none. Nothing where the key is another one, held with
/// Ctrl, Alt or Meta, or leads nowhere.
struct Walk {
    std::optional<int> to;
};
std::optional<Walk> walkOf(const QKeyEvent& event, std::optional<int> current, int count);

/// The ring that says where the keyboard is, around `area`; nothing while `widget` has no focus.
void paintFocusRing(QPainter& painter, const QWidget& widget, const QRectF& area);

} // namespace trainyard
