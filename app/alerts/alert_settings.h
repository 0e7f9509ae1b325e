#pragma once

#include <filesystem>

#include <QList>
#include <QString>

#include "app/alerts/alert.h"
#include "engine/base/result.h"

namespace trainyard {

/// The user's alert settings, kept in `<data>/alerts.json`; missing entries have their defaults.
struct AlertSettings {
    AlertThresholds thresholds{};
    bool notifies = true; ///< desktop notification while the window is not in front

    bool operator==(const AlertSettings&) const = default;
};

/// Returns the defaults when there is no file; for a damaged one see desk_file.h.
Result<AlertSettings> loadAlertSettings(const std::filesystem::path& file);
Status saveAlertSettings(const std::filesystem::path& file, const AlertSettings& settings);

/// Describes a threshold for forms and files.
struct ThresholdField {
    QString key;   ///< in the file
    QString label; ///< "Gradient spike"
    QString unit;  ///< shown after the number: "× median", "s", "GiB"
    QString help;  ///< one sentence
    double least;
    double most;
    double step; ///< per arrow key
    double (*get)(const AlertThresholds&);
    void (*set)(AlertThresholds&, double);
};
/// Returns all thresholds, those of alerts in the order of AlertKind, in the units of the field.
const QList<ThresholdField>& thresholdFields();

} // namespace trainyard
