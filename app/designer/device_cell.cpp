#include "app/designer/device_cell.h"

#include <algorithm>
#include <array>

#include <QPainter>
#include <QPolygonF>

#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr double kTint = 0.35; // planned values are outlines; a tint makes their colour recognizable
constexpr double kFaded = 0.25;
constexpr double kMinForText = 18;
constexpr double kMinForOutline = 10;
constexpr int kMarkPixels = 9;
constexpr int kColours = 8; ///< of seriesStyle(), before it repeats them
constexpr std::array kPatterns{Qt::NoBrush,          Qt::BDiagPattern, Qt::FDiagPattern,
                               Qt::DiagCrossPattern, Qt::HorPattern,   Qt::VerPattern};

Qt::BrushStyle patternOf(int group)
{
    return kPatterns[static_cast<std::size_t>(group / kColours) % kPatterns.size()];
}

QPolygonF octagon(const QRectF& rect)
{
    const double cut = rect.width() * 0.29;
    const QRectF r = rect;
    return {{{r.left() + cut, r.top()},
             {r.right() - cut, r.top()},
             {r.right(), r.top() + cut},
             {r.right(), r.bottom() - cut},
             {r.right() - cut, r.bottom()},
             {r.left() + cut, r.bottom()},
             {r.left(), r.bottom() - cut},
             {r.left(), r.top() + cut}}};
}

void paintFree(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours)
{
    painter.setPen(QPen(colours.border, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cell.rect);
}

void paintTooSmall(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours)
{
    const bool small = cell.rect.width() < kMinForOutline;
    painter.setPen(QPen(colours.bad, small ? 1 : 1.5));
    painter.setBrush(small ? colours.bad : colours.badTint);
    painter.drawPolygon(octagon(cell.rect));
}

void paintGroup(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours)
{
    const QColor colour = seriesStyle(colours.scheme, cell.group).colour;
    if (cell.rect.width() < kMinForOutline) {
        painter.fillRect(cell.rect.toAlignedRect(), colour);
        return;
    }
    QColor tint = colour;
    tint.setAlphaF(kTint);
    const double radius = cell.rect.width() / 7;
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint);
    painter.drawRoundedRect(cell.rect, radius, radius);
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(QBrush(tint, patternOf(cell.group)));
    painter.drawRoundedRect(cell.rect, radius, radius);
}

void paintText(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours)
{
    painter.setPen(cell.fits ? colours.text : colours.badText);
    painter.drawText(cell.rect, Qt::AlignCenter, QString::number(cell.stage));
    if (cell.mark.isNull())
        return;
    const QFont usual = painter.font();
    QFont small = usual;
    small.setPixelSize(kMarkPixels);
    small.setBold(true);
    painter.setFont(small);
    painter.drawText(cell.rect.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignTop, QString(cell.mark));
    painter.setFont(usual);
}

} // namespace

void paintDeviceCell(QPainter& painter, const DeviceCell& cell, const ThemeColours& colours)
{
    painter.setOpacity(cell.faded ? kFaded : 1);
    if (cell.free)
        paintFree(painter, cell, colours);
    else if (cell.fits)
        paintGroup(painter, cell, colours);
    else
        paintTooSmall(painter, cell, colours);
    if (!cell.free && cell.rect.width() >= kMinForText)
        paintText(painter, cell, colours);
    painter.setOpacity(1);
}

void paintDeviceRing(QPainter& painter, const QRectF& rect, const ThemeColours& colours)
{
    painter.setPen(QPen(colours.text, 2));
    painter.setBrush(Qt::NoBrush);
    const double out = std::min(3.0, rect.width() / 6);
    painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), 4, 4);
}

} // namespace trainyard
