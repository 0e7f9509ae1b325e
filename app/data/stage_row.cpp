#include "app/data/stage_row.h"

#include <QPainter>
#include <QPainterPath>

#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr int kHeight = 76;
constexpr int kArrow = 20;
constexpr int kPad = 10;

QString stateWord(const Stage& stage)
{
    if (stage.finished)
        return StageRow::tr("✓");
    return stage.started ? StageRow::tr("●") : QString();
}

QString spoken(const StageProgress& progress)
{
    QStringList parts;
    for (const Stage& stage : progress.stages())
        parts << QStringLiteral("%1: %2").arg(stage.name, stage.finished  ? StageRow::tr("finished")
                                                          : stage.started ? stage.doneText()
                                                                          : StageRow::tr("waiting"));
    return parts.join(QStringLiteral(", "));
}

} // namespace

StageRow::StageRow(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Stages"));
    setProgress({});
}

void StageRow::setProgress(const StageProgress& progress)
{
    m_progress = progress;
    setAccessibleDescription(spoken(progress));
    update();
}

QSize StageRow::sizeHint() const
{
    return {900, kHeight};
}

QSize StageRow::minimumSizeHint() const
{
    return {600, kHeight};
}

QRectF StageRow::boxOf(std::size_t stage) const
{
    const auto count = static_cast<double>(m_progress.stages().size());
    const double each = (width() - 1 - kArrow * (count - 1)) / count;
    return {static_cast<double>(stage) * (each + kArrow) + 0.5, 0.5, each, kHeight - 1.0};
}

void StageRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto& stages = m_progress.stages();
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const QRectF box = boxOf(i);
        paintStage(painter, stages[i], box);
        if (i + 1 == stages.size())
            break;
        painter.setPen(QPen(coloursOf(palette()).muted, 1.5));
        const QPointF tip(box.right() + kArrow * 0.65, box.center().y());
        painter.drawPolyline(QPolygonF{tip + QPointF(-5, -5), tip, tip + QPointF(-5, 5)});
    }
}

void StageRow::paintStage(QPainter& painter, const Stage& stage, const QRectF& box) const
{
    const ThemeColours& colours = coloursOf(palette());
    QPainterPath shape;
    shape.addRoundedRect(box, metrics::kRadius, metrics::kRadius);
    painter.fillPath(shape, colours.panel);
    if (stage.started) {
        painter.save();
        painter.setClipPath(shape);
        QRectF filled = box;
        filled.setWidth(box.width() * stage.fraction());
        painter.fillRect(filled, stage.finished ? colours.goodTint : colours.accentTint);
        painter.restore();
    }
    painter.setPen(stage.finished ? colours.good : stage.started ? colours.accent : colours.border);
    painter.drawPath(shape);

    const QRectF inner = box.adjusted(kPad, 8, -kPad, -8);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(stage.started ? colours.text : colours.muted);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop, stage.name);
    painter.setPen(stage.finished ? colours.goodText : colours.accentText);
    painter.drawText(inner, Qt::AlignRight | Qt::AlignTop, stateWord(stage));

    painter.setFont(font());
    const QFontMetrics fm(font());
    const auto line = [&](int flags, const QString& text, const QColor& colour, double top) {
        painter.setPen(colour);
        painter.drawText(QRectF(inner.left(), top, inner.width(), fm.height()), flags,
                         fm.elidedText(text, Qt::ElideRight, static_cast<int>(inner.width())));
    };
    line(Qt::AlignLeft, stage.doneText(), colours.text, inner.top() + 22);
    line(Qt::AlignLeft, stage.rateText(), colours.muted, inner.top() + 42);
}

} // namespace trainyard
