#pragma once

#include <QColor>

#include "app/base/theme.h"

namespace trainyard {

/// Colour of a word. Word and shape carry the meaning; the tone only helps to find it.
enum class Tone { Plain, Muted, Accent, Good, Warning, Bad };

/// Item data of role kToneRole (int of Tone); a delegate paints the text in that tone, so models need no
/// notice of a change of scheme.
constexpr int kToneRole = Qt::UserRole + 100;

QColor textColour(Tone tone, const ThemeColours& colours);

} // namespace trainyard
