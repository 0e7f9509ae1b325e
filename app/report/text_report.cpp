#include "app/report/text_report.h"

#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/csv_text.h"

namespace trainyard {

namespace {

QString line(const QStringList& values)
{
    QStringList cells;
    for (const QString& value : values)
        cells << csvField(value);
    return cells.join(',') + '\n';
}

QString number(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 17) : QString();
}

QString heading(const QString& section, const QString& caption)
{
    return line({"# " + section + (caption.isEmpty() ? QString() : ": " + caption)});
}

QString csv(const QString& section, const QString& paragraph)
{
    return heading(section, {}) + line({paragraph});
}

QString csv(const QString& section, const ReportTable& table)
{
    QString text = heading(section, table.caption) + line(table.columns);
    for (const QStringList& row : table.rows)
        text += line(row);
    return text;
}

QString csv(const QString& section, const ReportFigure& figure)
{
    QString text = heading(section, figure.caption);
    if (figure.bars.isEmpty()) {
        text += line({"curve", figure.xLabel, figure.yLabel});
        for (const ReportCurve& curve : figure.curves) {
            for (qsizetype i = 0; i < curve.x.size(); ++i)
                text += line({curve.name, number(curve.x[i]), number(curve.y[i])});
        }
        return text;
    }
    text += line(QStringList{"layer"} + figure.bars);
    for (const ReportLayer& layer : figure.layers) {
        QStringList cells{layer.name};
        for (const double value : layer.values)
            cells << number(value);
        text += line(cells);
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

QJsonValue json(const ReportTable& table)
{
    QJsonArray rows;
    for (const QStringList& row : table.rows)
        rows << QJsonArray::fromStringList(row);
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
    QString text = line({document.title, document.subtitle});
    for (const ReportSection& section : document.sections) {
        for (const ReportBlock& block : section.blocks)
            text +=
                '\n' + std::visit([&](const auto& content) { return csv(section.title, content); }, block);
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
