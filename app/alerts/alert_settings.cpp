#include "app/alerts/alert_settings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QObject>

#include "engine/spec/field_reader.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace {

constexpr const char* kNotifies = "notifies";
constexpr int kAlertVersion = 1;

template <double AlertThresholds::*Member>
ThresholdField field(const char* key, const char* label, const char* unit, const char* help, double least,
                     double most, double step)
{
    return {QString::fromLatin1(key),
            QObject::tr(label),
            QObject::tr(unit),
            QObject::tr(help),
            least,
            most,
            step,
            [](const AlertThresholds& t) { return t.*Member; },
            [](AlertThresholds& t, double value) { t.*Member = value; }};
}

ThresholdField diskField()
{
    return {QStringLiteral("disk_free_gib"),
            QObject::tr("Disk"),
            QObject::tr("GiB free"),
            QObject::tr("Alerts when any host has less free space on the disk of the run's folder"),
            0,
            1e6,
            5,
            [](const AlertThresholds& t) { return double(t.diskFree) / double(kGiB); },
            [](AlertThresholds& t, double value) { t.diskFree = Bytes(value * double(kGiB)); }};
}

ThresholdField riseField()
{
    return {QStringLiteral("held_out_rise_percent"),
            QObject::tr("Overfitting"),
            QObject::tr("% rise"),
            QObject::tr("Alerts when the held-out loss is this far above its lowest value while the training "
                        "loss still falls"),
            0.1,
            1000,
            0.5,
            [](const AlertThresholds& t) { return t.heldOutRise * 100; },
            [](AlertThresholds& t, double value) { t.heldOutRise = value / 100; }};
}

ThresholdField expertsField()
{
    return {
        QStringLiteral("idle_experts_percent"),
        QObject::tr("Idle experts"),
        QObject::tr("% of a layer"),
        QObject::tr("Alerts when so many experts of a layer get less than a tenth of an even share of the "
                    "tokens"),
        1,
        100,
        5,
        [](const AlertThresholds& t) { return t.idleExperts * 100; },
        [](AlertThresholds& t, double value) { t.idleExperts = value / 100; }};
}

ThresholdField memoryField()
{
    return {QStringLiteral("host_memory_free_percent"),
            QObject::tr("Host memory"),
            QObject::tr("% free"),
            QObject::tr("Alerts when a host has less free memory"),
            0,
            100,
            1,
            [](const AlertThresholds& t) { return t.hostMemoryFree * 100; },
            [](AlertThresholds& t, double value) { t.hostMemoryFree = value / 100; }};
}

template <double BoardThresholds::*Member>
ThresholdField boardField(const char* key, const char* label, const char* help)
{
    return {QString::fromLatin1(key),
            QObject::tr(label),
            QObject::tr("%"),
            QObject::tr(help),
            0,
            100,
            5,
            [](const AlertThresholds& t) { return t.board.*Member * 100; },
            [](AlertThresholds& t, double value) { t.board.*Member = value / 100; }};
}

void readThreshold(FieldReader& reader, const ThresholdField& field, AlertThresholds& thresholds)
{
    const QByteArray key = field.key.toLatin1();
    double value = field.get(thresholds);
    reader.read(key.constData(), value);
    if (value >= field.least && value <= field.most)
        field.set(thresholds, value);
    else
        reader.complain(key.constData(), fmt::format("is {:g}", value),
                        fmt::format("use {:g} to {:g}", field.least, field.most));
}

Result<AlertSettings> parseAlertSettings(std::string_view text)
{
    TRAINYARD_TRY(const nlohmann::json json, parseDeskJson(text, kAlertVersion));
    Diagnostics problems;
    FieldReader reader(json, "", problems);
    AlertSettings settings;
    reader.read(kNotifies, settings.notifies);
    for (const ThresholdField& field : thresholdFields())
        readThreshold(reader, field, settings.thresholds);
    return problems.empty() ? Result<AlertSettings>(settings) : toError(problems);
}

} // namespace

const QList<ThresholdField>& thresholdFields()
{
    using T = AlertThresholds;
    static const QList<ThresholdField> fields{
        field<&T::lossDeviations>(
            "loss_deviations", "Divergence", "σ",
            "Alerts when the loss is this many standard deviations above its trailing mean for several steps",
            1, 100, 1),
        field<&T::gradientFactor>(
            "gradient_factor", "Gradient spike", "× median",
            "Alerts when a gradient norm is this many times the median of the previous 100", 1.5, 1000, 1),
        riseField(),
        field<&T::heldOutEvaluations>(
            "held_out_evaluations", "Overfitting, at least", "evaluations",
            "Alerts only after this many evaluations in a row with such a held-out loss", 1, 100, 1),
        expertsField(),
        field<&T::stallFactor>("stall_factor", "Stall", "× step time",
                               "Alerts when no step finishes for this many typical step times", 2, 1000, 1),
        field<&T::stallSeconds>("stall_seconds", "Stall, at least", "s",
                                "Minimum time without a finished step before a stall is reported", 5, 86'400,
                                10),
        field<&T::hostSilentSeconds>("host_silent_seconds", "Host lost", "s",
                                     "Alerts when a host sends no sample for this long while others do", 5,
                                     86'400, 10),
        field<&T::linkSeconds>("link_seconds", "Link lost", "s",
                               "Alerts when a run is unreachable for this long", 0, 86'400, 5),
        field<&T::stepFactor>("step_factor", "Slow steps", "× median",
                              "Alerts when three quarters of the newest steps, for 10 s or more, take this "
                              "many times the median of earlier ones",
                              1.1, 100, 0.5),
        field<&T::stragglerFactor>("straggler_factor", "Straggler", "× median",
                                   "Alerts when a rank computes this many times as long as the ranks of its "
                                   "stage in 24 of the newest 30 steps",
                                   1.02, 100, 0.05),
        field<&T::slowDeviceSeconds>("slow_device_seconds", "Slow device", "s",
                                     "Alerts when heat or the power supply slows a device down for this long",
                                     1, 86'400, 10),
        field<&T::idleSeconds>("idle_seconds", "Idle device", "s",
                               "Alerts when a device holds memory but its utilisation is 0 % for this long",
                               5, 86'400, 10),
        diskField(),
        memoryField(),
        boardField<&BoardThresholds::loadLow>("board_load_low_percent", "Device load, low",
                                              "The Devices tab marks a utilisation below this as low"),
        boardField<&BoardThresholds::loadHigh>("board_load_high_percent", "Device load, high",
                                               "The Devices tab marks a utilisation above this as high"),
        boardField<&BoardThresholds::memoryHigh>("board_memory_high_percent", "Device memory, full",
                                                 "The Devices tab marks memory use above this as full"),
    };
    return fields;
}

Result<AlertSettings> loadAlertSettings(const std::filesystem::path& file)
{
    return readDeskFile(file, parseAlertSettings);
}

Status saveAlertSettings(const std::filesystem::path& file, const AlertSettings& settings)
{
    nlohmann::ordered_json json{{"version", kAlertVersion}, {kNotifies, settings.notifies}};
    for (const ThresholdField& field : thresholdFields())
        json[field.key.toStdString()] = field.get(settings.thresholds);
    return writeDeskFile(file, json.dump(2) + "\n", parseAlertSettings);
}

} // namespace trainyard
