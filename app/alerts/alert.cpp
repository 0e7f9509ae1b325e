#include "app/alerts/alert.h"

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
    {"replicas-differ", "replicas differ"},
    {"divergence", "divergence"},
    {"gradient-spike", "gradient spike"},
    {"overfitting", "overfitting"},
    {"idle-experts", "idle experts"},
    {"memory-errors", "memory errors"},
    {"stall", "stalled"},
    {"lost-host", "lost host"},
    {"link-lost", "link lost"},
    {"slow-steps", "slow steps"},
    {"straggler", "straggler"},
    {"slow-device", "slow device"},
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

AlertThresholds eased(AlertThresholds thresholds)
{
    constexpr double kKept = 0.6; ///< of the distance between a factor and 1
    for (double* factor : {&thresholds.gradientFactor, &thresholds.stepFactor, &thresholds.stragglerFactor})
        *factor = 1 + kKept * (*factor - 1);
    thresholds.lossDeviations *= 0.8;
    thresholds.heldOutRise *= kKept;
    thresholds.idleExperts *= 0.8;
    thresholds.diskFree += thresholds.diskFree / 10;
    thresholds.hostMemoryFree *= 1.25;
    return thresholds;
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
