#include "app/designer/model/layer_text.h"

#include <QObject>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

const QString kTimes = QStringLiteral(" × ");
const QString kDot = QStringLiteral(" · ");
constexpr std::int64_t kAllDigits = 10'000;
constexpr double kSmallestShare = 0.0005; ///< that is more than 0.0 %

QString shareText(std::int64_t part, const LayerDrawing& drawing)
{
    const double share = static_cast<double>(part) / static_cast<double>(drawing.parameters);
    return part > 0 && share < kSmallestShare ? QObject::tr("< 0.1 %") : displayPercent(share);
}

/// "32 × 41 943 040 parameters, 16.7 % of the model".
QString exactFigures(const DrawnBox& box, const LayerDrawing& drawing)
{
    if (box.parameters() == 0)
        return QObject::tr("no parameters of its own");
    const QString times = box.times > 1 ? displayCount(box.times) + kTimes : QString();
    return QObject::tr("%1%2, %3 of the model")
        .arg(times, displayCounted(box.parameters(), "parameter"), shareText(box.allParameters(), drawing));
}

QString lineOf(const DrawnBox& box, const LayerDrawing& drawing)
{
    QString line = box.title;
    if (!box.facts.isEmpty())
        line += QStringLiteral(": ") + box.facts.join(QStringLiteral(", "));
    return line + QStringLiteral("; ") + exactFigures(box, drawing);
}

void addLines(QStringList& lines, const std::vector<DrawnBox>& boxes, const LayerDrawing& drawing,
              const QString& indent)
{
    for (const DrawnBox& box : boxes)
        lines << indent + lineOf(box, drawing);
}

void addLines(QStringList& lines, const DrawnBranch& branch, const LayerDrawing& drawing)
{
    const QString indent = QStringLiteral("  ");
    for (std::size_t i = 0; i < branch.lanes.size(); ++i) {
        const DrawnLane& lane = branch.lanes[i];
        if (lane.isAlternative)
            lines << indent + QObject::tr("or, in other layers:");
        else if (i > 0)
            lines << indent + QObject::tr("and, from the same input:");
        addLines(lines, lane.boxes, drawing, indent);
    }
    lines << indent + QObject::tr("added to the residual");
    addLines(lines, branch.afterSum, drawing, indent);
}

} // namespace

QString shortCount(std::int64_t count)
{
    static constexpr std::pair<double, const char*> kUnits[] = {
        {1e12, " T"}, {1e9, " B"}, {1e6, " M"}, {1e3, " k"}};
    const auto value = static_cast<double>(count);
    for (const auto& [unit, letter] : kUnits) {
        if (count >= kAllDigits && value >= unit * 0.9995) // 999 960 is 1 M
            return displayNumber(value / unit) + QLatin1String(letter);
    }
    return displayCount(count);
}

QString boxFigures(const DrawnBox& box, const LayerDrawing& drawing)
{
    if (box.parameters() == 0)
        return QObject::tr("no parameters");
    const QString times = box.times > 1 ? displayCount(box.times) + kTimes : QString();
    return times + shortCount(box.parameters()) + kDot + shareText(box.allParameters(), drawing);
}

QString drawingSummary(const LayerDrawing& drawing)
{
    const auto large = [](std::int64_t count) { return displayLarge(static_cast<double>(count)); };
    QString summary = QObject::tr("%1 parameters").arg(large(drawing.parameters));
    if (drawing.active < drawing.parameters)
        summary += QObject::tr(", %1 active per token").arg(large(drawing.active));
    if (drawing.trained < drawing.parameters)
        summary += QObject::tr(", %1 trained").arg(large(drawing.trained));
    return summary;
}

QString layerTitle(const LayerDrawing& drawing)
{
    return QObject::tr("Layer × %1").arg(displayCount(drawing.layers));
}

QString layerFigures(const LayerDrawing& drawing)
{
    const std::int64_t parameters = drawing.layerParameters();
    return shortCount(parameters) + kDot + shareText(parameters, drawing);
}

QString describeBox(const DrawnBox& box, const LayerDrawing& drawing)
{
    return lineOf(box, drawing);
}

QString shapeText(const DrawnTensor& tensor)
{
    QStringList sizes;
    for (const std::int64_t size : tensor.shape)
        sizes << displayCount(size);
    return sizes.join(kTimes);
}

QString boxToolTip(const DrawnBox& box, const LayerDrawing& drawing)
{
    QString rows;
    for (const DrawnTensor& tensor : box.tensors)
        rows += QStringLiteral("<tr><td>%1</td><td align=right>&nbsp;&nbsp;%2</td>"
                               "<td align=right>&nbsp;&nbsp;%3</td></tr>")
                    .arg(tensor.name.toHtmlEscaped(), shapeText(tensor), displayCount(tensor.parameters));
    return QStringLiteral("<qt><b>%1</b><br>%2<table style='white-space:pre'>%3</table></qt>")
        .arg(box.title.toHtmlEscaped(), exactFigures(box, drawing).toHtmlEscaped(), rows);
}

QString boxText(const DrawnBox& box, const LayerDrawing& drawing)
{
    QStringList lines{lineOf(box, drawing)};
    for (const DrawnTensor& tensor : box.tensors)
        lines << QStringList{tensor.name, shapeText(tensor), QString::number(tensor.parameters)}.join(
            QLatin1Char('\t'));
    return lines.join(QLatin1Char('\n'));
}

QString drawingText(const LayerDrawing& drawing)
{
    QStringList lines{drawingSummary(drawing)};
    addLines(lines, drawing.before, drawing, {});
    lines << QStringLiteral("%1; %2").arg(layerTitle(drawing), layerFigures(drawing));
    for (const DrawnBranch& branch : drawing.branches)
        addLines(lines, branch, drawing);
    addLines(lines, drawing.behind, drawing, {});
    return lines.join(QLatin1Char('\n'));
}

} // namespace trainyard
