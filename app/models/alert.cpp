#include "app/models/alert.h"

#include <array>

namespace trainyard {

namespace {

struct Words {
    const char* name;
    const char* title;
};

// In the order of AlertKind.
constexpr std::array<Words, kAlertKinds> kWords{{
    {"not-finite", "not finite"},
    {"divergence", "divergence"},
    {"gradient-spike", "gradient spike"},
    {"stall", "stalled"},
    {"lost-host", "lost host"},
    {"link-lost", "link lost"},
    {"slow-steps", "slow steps"},
    {"straggler", "straggler"},
    {"idle-device", "idle device"},
    {"low-disk", "low disk"},
    {"low-host-memory", "low host memory"},
}};

} // namespace

QString titleOf(AlertKind kind)
{
    return QString::fromUtf8(kWords[static_cast<std::size_t>(kind)].title);
}

QString nameOf(AlertKind kind)
{
    return QString::fromUtf8(kWords[static_cast<std::size_t>(kind)].name);
}

Tone toneOf(const Alert& alert)
{
    return alert.severity == Severity::Error ? Tone::Bad : Tone::Warning;
}

QChar shapeOf(const Alert& alert)
{
    return alert.severity == Severity::Error ? u'✕' : u'▲';
}

} // namespace trainyard
