#include "app/cli/plan_validation.h"

#include <QJsonObject>

#include "app/cli/console.h"
#include "app/cli/hardware_input.h"
#include "engine/base/file.h"
#include "engine/planner/validation/validation.h"

namespace trainyard {

namespace {

Result<ValidationReport> reportFor(const ValidationInput& input)
{
    TRAINYARD_TRY(const NodeModel node, readHardwareInput(input.hardware));
    TRAINYARD_TRY(const std::string text, readFile(input.rows));
    const auto rows = parseMeasuredRows(text);
    if (!rows.ok())
        return rows.error().in(input.rows);
    return validateRows(*rows, node, {input.calibrate, input.seed});
}

QJsonObject toJson(const ValidationScore& score)
{
    return {{"mape_percent", 100 * score.meanError},
            {"regret_percent", 100 * score.meanRegret},
            {"rows", static_cast<qint64>(score.rows)},
            {"groups", static_cast<qint64>(score.groups)}};
}

QJsonObject toJson(const ValidationReport& report)
{
    QJsonObject json{{"uncalibrated", toJson(report.uncalibrated)}};
    if (!report.calibrated)
        return json;
    QJsonObject factors;
    for (std::size_t i = 0; i < kTimeFactors; ++i)
        factors[QString::fromUtf8(nameOf(static_cast<TimeFactor>(i)).data())] =
            report.coefficients.factors[i];
    QJsonObject calibrated = toJson(*report.calibrated);
    calibrated["factors"] = factors;
    json["calibrated"] = calibrated;
    return json;
}

QStringList rowOf(const QString& name, const ValidationScore& score)
{
    const auto percent = [](double share) { return QString::number(100 * share, 'f', 1) + " %"; };
    return {name, percent(score.meanError), percent(score.meanRegret), QString::number(score.rows)};
}

void printTable(const ValidationReport& report)
{
    QList<QStringList> table{{"", "mean error", "regret", "rows"},
                             rowOf("uncalibrated", report.uncalibrated)};
    if (report.calibrated)
        table << rowOf("calibrated", *report.calibrated);
    console::print(console::table(table));
}

} // namespace

int validatePlan(const ValidationInput& input)
{
    const auto report = reportFor(input);
    if (!report.ok())
        return console::fail(report.error());
    if (input.json)
        console::print(QJsonDocument(toJson(*report)));
    else
        printTable(*report);
    return 0;
}

} // namespace trainyard
