#include "app/report/text_report.h"

#include <cmath>
#include <optional>

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include "app/base/csv_text.h"

namespace trainyard {

namespace {

/// A row of the table that toCsv() gives; what does not apply is empty.
struct TidyRow {
    QString section;
    QString caption{};
    qsizetype row = 0; ///< from 1 within a table, a curve or a layer; 0: none
    QString column{};
    QString xName{};
    std::optional<double> x{};
    std::optional<double> value{};
    QString unit{};
    QString text{};

    QString line() const;
};

QString numberField(std::optional<double> number)
{
    return number && std::isfinite(*number) ? csvNumber(*number) : QString();
}

QString TidyRow::line() const
{
    const QStringList fields{
        csvField(section),  csvField(caption), row > 0 ? QString::number(row) : QString(),
        csvField(column),   csvField(xName),   numberField(x),
        numberField(value), csvField(unit),    csvField(text)};
    return fields.join(',') + '\n';
}

struct Measure {
    double value = 0;
    QString unit;
};

/// The number of a cell as displayNumber(), displayCount(), displayBytes() and the like write them.
std::optional<Measure> measureIn(const QString& cell)
{
    static const QRegularExpression form(
        QStringLiteral(
            "^([-\\x{2212}]?)(\\d{1,3}(?:[\\x{a0}\\x{2009}\\x{202f} ]\\d{3})+|\\d+)(\\.\\d+)?(e[-+]?\\d+)?"
            "(?:[\\x{a0}\\x{202f} ](%|[\\p{L}/]+))?$"),
        QRegularExpression::UseUnicodePropertiesOption);
    const QRegularExpressionMatch match = form.match(cell);
    if (!match.hasMatch())
        return std::nullopt;
    QString digits = match.captured(2);
    digits.removeIf([](QChar c) { return !c.isDigit(); });
    const double value = (digits + match.captured(3) + match.captured(4)).toDouble();
    static const QHash<QString, double> kLarge{{"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}};
    const QString unit = match.captured(5);
    const double factor = kLarge.value(unit, 1) * (match.captured(1).isEmpty() ? 1 : -1);
    return Measure{value * factor, kLarge.contains(unit) ? QString() : unit};
}

QString csv(const QString& section, const QString& paragraph)
{
    return TidyRow{.section = section, .text = paragraph}.line();
}

QString csv(const QString& section, const ReportTable& table)
{
    QString text;
    for (const QString& column : table.columns) {
        if (table.rows.isEmpty())
            text += TidyRow{.section = section, .caption = table.caption, .column = column}.line();
    }
    for (qsizetype row = 0; row < table.rows.size(); ++row) {
        for (qsizetype column = 0; column < table.columns.size(); ++column) {
            const QString& cell = table.rows[row][column];
            const auto measure = measureIn(cell);
            text += TidyRow{.section = section,
                            .caption = table.caption,
                            .row = row + 1,
                            .column = table.columns[column],
                            .value = measure ? std::optional(measure->value) : std::nullopt,
                            .unit = measure ? measure->unit : QString(),
                            .text = cell}
                        .line();
        }
    }
    return text;
}

QString csv(const QString& section, const ReportFigure& figure)
{
    QString text;
    TidyRow row{.section = section, .caption = figure.caption, .xName = figure.xLabel, .unit = figure.yLabel};
    for (const ReportCurve& curve : figure.curves) {
        row.column = curve.name;
        for (qsizetype i = 0; i < curve.x.size(); ++i) {
            row.row = i + 1;
            row.x = curve.x[i];
            row.value = curve.y[i];
            text += row.line();
        }
    }
    for (const ReportLayer& layer : figure.layers) {
        row.column = layer.name;
        for (qsizetype i = 0; i < layer.values.size(); ++i) {
            row.row = i + 1;
            row.value = layer.values[i];
            row.text = figure.bars.value(i);
            text += row.line();
        }
    }
    return text;
}

QJsonArray toArray(const QList<double>& values)
{
    QJsonArray array;
    for (const double value : values)
        array << (std::isfinite(value) ? QJsonValue(value) : QJsonValue());
    return array;
}

QJsonValue json(const QString& paragraph)
{
    return QJsonObject{{"text", paragraph}};
}

/// A number where the cell is nothing else.
QJsonValue cellJson(const QString& cell)
{
    const auto measure = measureIn(cell);
    return measure && measure->unit.isEmpty() ? QJsonValue(measure->value) : QJsonValue(cell);
}

QJsonValue json(const ReportTable& table)
{
    QJsonArray rows;
    for (const QStringList& row : table.rows) {
        QJsonArray cells;
        for (const QString& cell : row)
            cells << cellJson(cell);
        rows << cells;
    }
    return QJsonObject{
        {"table", table.caption}, {"columns", QJsonArray::fromStringList(table.columns)}, {"rows", rows}};
}

QJsonValue json(const ReportFigure& figure)
{
    QJsonArray series;
    for (const ReportCurve& curve : figure.curves)
        series << QJsonObject{{"name", curve.name}, {"x", toArray(curve.x)}, {"y", toArray(curve.y)}};
    for (const ReportLayer& layer : figure.layers)
        series << QJsonObject{{"name", layer.name}, {"values", toArray(layer.values)}};
    QJsonObject object{{"figure", figure.caption},
                       {"x_label", figure.xLabel},
                       {"y_label", figure.yLabel},
                       {"series", series}};
    QJsonArray marks;
    for (const ReportMark& mark : figure.marks)
        marks << QJsonObject{{"x", mark.x}, {"label", mark.label}};
    if (!marks.isEmpty())
        object["marks"] = marks;
    if (!figure.bars.isEmpty())
        object["bars"] = QJsonArray::fromStringList(figure.bars);
    return object;
}

} // namespace

QString toCsv(const ReportDocument& document)
{
    QString text = QStringLiteral("section,caption,row,column,x_name,x,value,unit,text\n");
    for (const QString& heading : {document.title, document.subtitle}) {
        if (!heading.isEmpty())
            text += TidyRow{.section = document.title, .text = heading}.line();
    }
    for (const ReportSection& section : document.sections) {
        for (const ReportBlock& block : section.blocks)
            text += std::visit([&](const auto& content) { return csv(section.title, content); }, block);
    }
    return text;
}

QByteArray toJson(const ReportDocument& document)
{
    QJsonArray sections;
    for (const ReportSection& section : document.sections) {
        QJsonArray blocks;
        for (const ReportBlock& block : section.blocks)
            blocks << std::visit([](const auto& content) { return json(content); }, block);
        sections << QJsonObject{{"title", section.title}, {"blocks", blocks}};
    }
    return QJsonDocument(QJsonObject{{"title", document.title},
                                     {"subtitle", document.subtitle},
                                     {"sections", sections}})
        .toJson();
}

} // namespace trainyard
