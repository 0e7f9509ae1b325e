#include "app/cli/support/plan_validation.h"

#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/support/console.h"
#include "app/cli/support/hardware_input.h"
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
    return {{"mape_percent", 100 * score.meanError}, {"regret_percent", 100 * score.meanRegret}};
}

QJsonObject toJson(const ValidationReport& report)
{
    QJsonObject json{{"uncalibrated", toJson(report.uncalibrated)}};
    if (report.calibrated)
        json["calibrated"] = toJson(*report.calibrated);
    return json;
}

QStringList rowOf(const QString& name, const ValidationScore& score)
{
    return {name, console::percent(score.meanError), console::percent(score.meanRegret),
            QString::number(score.rows), QString::number(score.groups)};
}

QList<QStringList> rowsOf(const TimeCoefficients& coefficients)
{
    QList<QStringList> rows{{"calibrated part", "times longer"}};
    for (std::size_t i = 0; i < kTimeFactors; ++i)
        rows << QStringList{toQString(nameOf(static_cast<TimeFactor>(i))),
                            QString::number(coefficients.factors[i], 'f', 3)};
    return rows;
}

void printTable(const ValidationReport& report)
{
    QList<QStringList> table{{"", "mean error", "regret", "rows", "choices"},
                             rowOf("uncalibrated", report.uncalibrated)};
    if (report.calibrated)
        table << rowOf("calibrated", *report.calibrated);
    console::print(console::table(table));
    if (report.calibrated)
        console::print(console::table(rowsOf(report.coefficients)));
}

} // namespace

Status validatePlan(const ValidationInput& input)
{
    TRAINYARD_TRY(const auto report, reportFor(input));
    if (input.json)
        console::print(QJsonDocument(toJson(report)));
    else
        printTable(report);
    return {};
}

} // namespace trainyard
