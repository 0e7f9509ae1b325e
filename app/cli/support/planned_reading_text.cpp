#include "app/cli/support/planned_reading_text.h"

#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/support/console.h"
#include "engine/spec/phases/batch_ramp.h"

namespace trainyard {

QList<QStringList> readingRows(const std::vector<PlannedReading>& reading)
{
    QList<QStringList> rows{{"data set", "share", "sequences", "tokens", "epochs"}};
    for (const PlannedReading& set : reading)
        rows << QStringList{QString::fromStdString(set.path), console::percent(set.share),
                            displayCount(static_cast<qint64>(set.sequences)), console::number(set.tokens),
                            set.epochs ? console::number(*set.epochs) : QString("unknown")};
    return rows;
}

QJsonArray toJson(const std::vector<PlannedReading>& reading)
{
    QJsonArray sets;
    for (const PlannedReading& set : reading) {
        QJsonObject json{{"path", QString::fromStdString(set.path)},
                         {"share", set.share},
                         {"sequences", static_cast<qint64>(set.sequences)},
                         {"tokens", set.tokens}};
        if (set.epochs)
            json["epochs"] = *set.epochs;
        sets << json;
    }
    return sets;
}

QString rampText(const RunSpec& spec)
{
    const auto stretches = BatchRamp(spec.batch).stretches(spec.launch.steps);
    std::int64_t growing = 0;
    for (const auto& [global, steps] : stretches)
        growing += global < spec.batch.global ? steps : 0;
    return QString("the batch grows from %1 to %2 sequences within the first %3")
        .arg(displayCount(spec.batch.ramp.start), displayCount(stretches.back().global),
             displayCounted(growing, "step"));
}

QJsonArray rampJson(const RunSpec& spec)
{
    QJsonArray json;
    for (const auto& [global, steps] : BatchRamp(spec.batch).stretches(spec.launch.steps))
        json << QJsonObject{{"global", global}, {"steps", static_cast<qint64>(steps)}};
    return json;
}

} // namespace trainyard
