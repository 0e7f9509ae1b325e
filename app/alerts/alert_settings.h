#pragma once

#include <filesystem>

#include <QList>
#include <QString>

#include "app/alerts/alert.h"
#include "engine/base/result.h"

namespace trainyard {

/// What the user has said about alerts. Kept in `<data>/alerts.json`; what is not in the file is as made.
struct AlertSettings {
    AlertThresholds thresholds{};
    bool notifies = true; ///< a message of the desktop while the window is not in front

    bool operator==(const AlertSettings&) const = default;
};

/// Settings of a file that is not there are as made; of a damaged one see desk_file.h.
Result<AlertSettings> loadAlertSettings(const std::filesystem::path& file);
Status saveAlertSettings(const std::filesystem::path& file, const AlertSettings& settings);

/// A threshold as forms and files speak of it.
struct ThresholdField {
    QString key;   ///< in the file
    QString label; ///< "Gradient spike"
    QString unit;  ///< behind the number: "× median", "s", "GiB"
    QString help;  ///< what it does, in a sentence
    double least;
    double most;
    double step; ///< of an arrow key
    double (*get)(const AlertThresholds&);
    void (*set)(AlertThresholds&, double);
};
/// All of them, those of alerts in the order of AlertKind, in the units of the field.
const QList<ThresholdField>& thresholdFields();

} // namespace trainyard
