#include "app/models/tone.h"

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

Tone toneOf(HostState state)
{
    switch (state) {
    case HostState::NotChecked:
        return Tone::Muted;
    case HostState::Checking:
        return Tone::Accent;
    case HostState::Ready:
        return Tone::Good;
    case HostState::HostKeyUnknown:
    case HostState::Warnings:
        return Tone::Warning;
    case HostState::Blocked:
    case HostState::NotReached:
        return Tone::Bad;
    }
    return Tone::Plain;
}

Tone toneOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Ok:
        return Tone::Good;
    case Verdict::Warn:
        return Tone::Warning;
    case Verdict::Fail:
        break;
    }
    return Tone::Bad;
}

} // namespace trainyard
