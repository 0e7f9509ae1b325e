#pragma once

#include <cstdint>
#include <optional>

#include <QList>
#include <QString>

#include "app/base/tone.h"
#include "engine/base/units.h"
#include "engine/records/record.h"

namespace trainyard {

/// Kinds of alerts that the records and the link of a run can raise, ordered by severity for the training.
enum class AlertKind {
    NotFinite,      ///< loss or gradient is NaN or infinite
    ReplicasDiffer, ///< ranks that should have the same weights do not
    Divergence,     ///< the loss rose far above what it was
    GradientSpike,  ///< one gradient was far larger than the ones before
    Overfitting,    ///< the held-out loss rises while the training loss falls
    IdleExperts,    ///< routers send hardly any token to many experts of a layer
    MemoryErrors,   ///< a device's memory has lost data (ECC)
    Stall,          ///< no step is finished
    LostHost,       ///< no samples from a participating host
    LinkLost,       ///< the run is unreachable; it continues on the cluster
    SlowSteps,      ///< steps take longer than they did
    Straggler,      ///< a rank computes longer than the others of its stage
    SlowDevice,     ///< heat or the power supply slows a device down
    IdleDevice,     ///< a device holds memory but is idle
    LowDisk,
    LowHostMemory,
};
constexpr int kAlertKinds = 16;

/// Returns a short title for chips and lists: "loss not finite", "straggler".
QString titleOf(AlertKind kind);
/// Returns the stable name for files and --json: "not-finite", "low-disk".
QString nameOf(AlertKind kind);

/// Thresholds of the device board, 0..1; values in between are not highlighted. nvitop's defaults.
struct BoardThresholds {
    double loadLow = 0.10;  ///< below: low load
    double loadHigh = 0.75; ///< above: high load
    double memoryHigh = 0.80;

    bool operator==(const BoardThresholds&) const = default;
};

/// Thresholds of the alerts, all adjustable by the user; the defaults keep a healthy run silent.
struct AlertThresholds {
    double lossDeviations = 6;     ///< standard deviations of the loss above its trailing mean
    double gradientFactor = 10;    ///< times the trailing median of the gradient norm
    double heldOutRise = 0.01;     ///< of the lowest held-out loss, that later ones are above it
    double heldOutEvaluations = 3; ///< in a row that are so far above it
    double idleExperts = 0.25;     ///< share of a layer's experts that get less than a tenth of an even share
    double stepFactor = 2;         ///< times the usual step time, for most of the newest steps
    double stallFactor = 10;       ///< times the usual step time without a finished step
    double stallSeconds = 60;      ///< minimum for a stall
    double stragglerFactor = 1.25; ///< times the median compute time of its stage, in most steps
    double slowDeviceSeconds = 30; ///< that a device is slowed down by heat or the power supply
    double idleSeconds = 60;       ///< without utilisation, for a device that holds memory
    double hostSilentSeconds = 60; ///< without a sample from a host while others send
    double linkSeconds = 15;       ///< without a link to an active run
    Bytes diskFree = 10 * kGiB;    ///< free space on the disk of the run's folder
    double hostMemoryFree = 0.04;  ///< free share of a host's memory, 0..1
    BoardThresholds board{};

    bool operator==(const AlertThresholds&) const = default;
};

/// Returns the thresholds at which an active alert ends: closer to normal, so that a value near the threshold
/// does not toggle it. Thresholds in seconds of silence are unchanged, as silence ends at once.
AlertThresholds eased(AlertThresholds thresholds);

/// An active alert of a run.
struct Alert {
    AlertKind kind = AlertKind::NotFinite;
    QString subject{}; ///< affected part of the run, where several may raise the same alert: a host, a rank
    Severity severity = Severity::Warning;
    QString text{};            ///< one sentence with the values
    std::optional<int> rank{}; ///< affected rank, for its log and stats
    std::int64_t step = 0;     ///< first affected step; 0 = none

    /// True for the same kind and subject, whatever the current values.
    bool isSameAs(const Alert& other) const { return kind == other.kind && subject == other.subject; }
    bool operator==(const Alert&) const = default;
};

Tone toneOf(const Alert& alert);
/// Returns "✕" or "▲".
QChar shapeOf(const Alert& alert);

} // namespace trainyard
