#include "app/base/tone.h"

namespace trainyard {

QColor textColour(Tone tone, const ThemeColours& colours)
{
    switch (tone) {
    case Tone::Muted:
        return colours.muted;
    case Tone::Accent:
        return colours.accentText;
    case Tone::Good:
        return colours.goodText;
    case Tone::Warning:
        return colours.warningText;
    case Tone::Bad:
        return colours.badText;
    case Tone::Plain:
        break;
    }
    return colours.text;
}

} // namespace trainyard
