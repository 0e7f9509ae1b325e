#pragma once

#include <QColor>

#include "app/base/theme.h"

namespace trainyard {

/// How a word is coloured: the meaning comes from the word and its shape, the tone only helps to find it.
enum class Tone { Plain, Muted, Accent, Good, Warning, Bad };

/// Item data of role kToneRole (int of Tone); a delegate paints the text in that tone, so that a change of
/// scheme needs no model to be told.
constexpr int kToneRole = Qt::UserRole + 100;

QColor textColour(Tone tone, const ThemeColours& colours);

} // namespace trainyard
