#pragma once

#include <cstdint>
#include <optional>

#include <QList>
#include <QString>

#include "app/base/tone.h"
#include "engine/base/units.h"
#include "engine/records/record.h"

namespace trainyard {

/// What can be wrong with a run, as far as its records and its link show. The order is the order of lists:
/// what spoils the training first.
enum class AlertKind {
    NotFinite,     ///< loss or gradient is NaN or infinite
    Divergence,    ///< the loss rose far above what it was
    GradientSpike, ///< one gradient was far larger than the ones before
    Stall,         ///< no step is finished
    LostHost,      ///< a host that takes part is not heard any more
    LinkLost,      ///< this desk cannot reach the run, which goes on
    SlowSteps,     ///< steps take longer than they did
    Straggler,     ///< a rank computes longer than the others of its stage
    IdleDevice,    ///< a device holds memory and does nothing
    LowDisk,
    LowHostMemory,
};
constexpr int kAlertKinds = 11;

/// "loss not finite", "straggler": for chips and lists.
QString titleOf(AlertKind kind);
/// Stable spelling for files and --json: "not-finite", "low-disk".
QString nameOf(AlertKind kind);

/// From where on the board of devices marks a figure, 0..1; what is between is plain. nvitop's defaults.
struct BoardThresholds {
    double loadLow = 0.10;  ///< a device that does less is hardly used
    double loadHigh = 0.75; ///< one that does more is well used
    double memoryHigh = 0.80;

    bool operator==(const BoardThresholds&) const = default;
};

/// When a figure counts as trouble. Every field is the user's to change; the defaults keep a healthy run
/// silent.
struct AlertThresholds {
    double lossDeviations = 6;     ///< standard deviations of the loss above its trailing mean
    double gradientFactor = 10;    ///< of the trailing median of the gradient norm
    double stepFactor = 2;         ///< of the usual step time, by most of the newest steps
    double stallFactor = 10;       ///< of the usual step time without a finished step
    double stallSeconds = 60;      ///< but no sooner than that
    double stragglerFactor = 1.25; ///< of the median compute time of its stage, in most steps
    double idleSeconds = 60;       ///< without utilisation, of a device whose memory is held
    double hostSilentSeconds = 60; ///< without a sample of a host while others send
    double linkSeconds = 15;       ///< without link to a run that was at work
    Bytes diskFree = 10 * kGiB;    ///< on the disk of the run's folder
    double hostMemoryFree = 0.04;  ///< share of a host's memory, 0..1
    BoardThresholds board{};

    bool operator==(const AlertThresholds&) const = default;
};

/// Those at which an alert that is there ends: nearer to what is usual, so that a figure that lies about its
/// threshold does not come and go. What counts seconds of silence stays, for silence ends at once.
AlertThresholds eased(AlertThresholds thresholds);

/// A trouble of a run that is there now.
struct Alert {
    AlertKind kind = AlertKind::NotFinite;
    QString
        subject{}; ///< what of the run it is about, where several may have the same trouble: a host, a rank
    Severity severity = Severity::Warning;
    QString text{};            ///< one sentence with the figures
    std::optional<int> rank{}; ///< whose log and figures tell more
    std::int64_t step = 0;     ///< at which it began; 0 = not at a step

    /// The same trouble, whatever its figures are by now.
    bool isSameAs(const Alert& other) const { return kind == other.kind && subject == other.subject; }
    bool operator==(const Alert&) const = default;
};

Tone toneOf(const Alert& alert);
/// "✕" or "▲".
QChar shapeOf(const Alert& alert);

} // namespace trainyard
