#pragma once

#include <QColor>
#include <QMargins>
#include <QPalette>
#include <QString>

#include "engine/planner/time/common_causes.h"
#include "engine/records/record.h"

namespace trainyard {

enum class ColourScheme { Light, Dark };

/// The colours of one scheme. Names say the purpose; `...Text` has a contrast of at least 4.5:1 on window and
/// panel, the plain tone is for shapes and lines, the `...Tint` for a background that text lies on.
struct ThemeColours {
    ColourScheme scheme;
    QColor window, panel, raised, border, grid;
    QColor text, muted;
    QColor accent, accentText, accentTint, onAccent;
    QColor good, goodText, goodTint;
    QColor warning, warningText, warningTint;
    QColor bad, badText, badTint;
};

const ThemeColours& coloursOf(ColourScheme scheme);
/// The scheme of a palette made by paletteOf(); other palettes are classified by lightness. Custom-painted
/// widgets call it in paintEvent, so they follow a change of scheme without a connection.
const ThemeColours& coloursOf(const QPalette& palette);

QPalette paletteOf(ColourScheme scheme);
/// The style sheet of the window with the scheme's colours.
QString styleSheetOf(ColourScheme scheme);

/// Style of the n-th curve of a chart: eight colours that colour-blind people can distinguish, then the same
/// colours dashed, and so on.
struct SeriesStyle {
    QColor colour;
    Qt::PenStyle line;
};
SeriesStyle seriesStyle(ColourScheme scheme, int index);

/// The same meaning has the same colour in Design, Runs and reports.
QColor colourOf(MemoryCategory category, ColourScheme scheme);
QColor colourOf(CommonCause cause, ColourScheme scheme);
/// For hatching free memory, which is never filled.
QColor freeMemoryColour(ColourScheme scheme);

/// WCAG contrast ratio, 1 to 21.
double contrast(const QColor& a, const QColor& b);

/// Font sizes in pixels and distances on the 8 px grid.
namespace metrics {
constexpr int kTextPixels = 13;
constexpr int kTickPixels = 11; ///< texts at the axes of charts
constexpr int kHalf = 4;
constexpr int kGap = 8;
constexpr int kPanelPadding = 12;
constexpr int kPagePadding = 16;
constexpr int kRadius = 6;
constexpr int kControlHeight = 32;
constexpr QMargins kPanelMargins(kPanelPadding, kGap, kPanelPadding, kPanelPadding);
constexpr QMargins kLowPanelMargins(kPanelPadding, kGap, kPanelPadding, kGap); ///< less room below
constexpr QMargins kTabMargins(0, kGap, 0, 0);
} // namespace metrics

} // namespace trainyard
