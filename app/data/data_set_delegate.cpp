#include "app/data/data_set_delegate.h"

#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/base/this_machine.h"
#include "app/base/tone.h"
#include "app/data/model/data_set_list_model.h"

namespace trainyard {

namespace {

constexpr int kCardHeight = 104;
constexpr int kCardGap = 8;
constexpr int kLine = 20;

Tone toneOf(DataSetEntry::Check check)
{
    switch (check) {
    case DataSetEntry::Check::Verified:
        return Tone::Good;
    case DataSetEntry::Check::Damaged:
        return Tone::Bad;
    case DataSetEntry::Check::Verifying:
        return Tone::Accent;
    case DataSetEntry::Check::NotVerified:
        break;
    }
    return Tone::Muted;
}

/// Draws lines of a card from top to bottom, each cut to the card's width.
class CardPainter {
public:
    CardPainter(QPainter& painter, const QRect& inner, const QFont& font)
        : m_painter(painter), m_line(inner.left(), inner.top(), inner.width(), kLine), m_font(font)
    {
    }

    void line(const QString& text, const QColor& colour, bool bold = false,
              Qt::TextElideMode elide = Qt::ElideRight)
    {
        QFont font = m_font;
        font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
        m_painter.setFont(font);
        m_painter.setPen(colour);
        m_painter.drawText(m_line, Qt::AlignLeft | Qt::AlignVCenter,
                           QFontMetrics(font).elidedText(text, elide, m_line.width()));
        m_line.translate(0, kLine);
    }

private:
    QPainter& m_painter;
    QRect m_line;
    QFont m_font;
};

/// "128 × 20" of rows with masks, else "128".
QString shapeText(const DataSetEntry& entry)
{
    return entry.maxPredictions > 0
               ? QStringLiteral("%1 × %2").arg(entry.sequenceLength).arg(entry.maxPredictions)
               : QString::number(entry.sequenceLength);
}

QString contentText(const DataSetEntry& entry)
{
    const QString rows = displayNumber(static_cast<double>(entry.rows));
    const QString task = taskTextOf(entry);
    if (task.isEmpty())
        return DataSetDelegate::tr("%1 tokens · %2 rows")
            .arg(displayNumber(static_cast<double>(entry.tokens)), rows);
    return DataSetDelegate::tr("%1 examples · %2")
        .arg(displayNumber(static_cast<double>(entry.documents)), task);
}

void paintFrame(QPainter& painter, const QRect& card, const QStyleOptionViewItem& option)
{
    const ThemeColours& colours = coloursOf(option.palette);
    const bool selected = option.state & QStyle::State_Selected;
    const bool focused = option.state & QStyle::State_HasFocus;
    const bool hovered = option.state & QStyle::State_MouseOver;
    painter.setBrush(selected ? colours.accentTint : colours.panel);
    painter.setPen(QPen(selected  ? colours.accent
                        : hovered ? colours.muted
                                  : colours.border,
                        selected && focused ? 2 : 1));
    painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius, metrics::kRadius);
}

} // namespace

void DataSetDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const auto entry = index.data(DataSetListModel::kEntryRole).value<DataSetEntry>();
    const ThemeColours& colours = coloursOf(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect card = option.rect.adjusted(1, 1, -1, -kCardGap + 1);
    paintFrame(*painter, card, option);
    const int pad = metrics::kPanelPadding;
    CardPainter lines(*painter, card.adjusted(pad, metrics::kGap, -pad, -metrics::kGap), option.font);
    lines.line(entry.name, colours.text, true);
    const QString host = entry.host == thisMachine() ? tr("This machine") : entry.host;
    lines.line(QStringLiteral("%1 · %2").arg(host, entry.folder), colours.muted, false, Qt::ElideMiddle);
    lines.line(contentText(entry), colours.text);
    lines.line(tr("%1 · %2 shards · %3").arg(nameOf(entry.check)).arg(entry.shards).arg(shapeText(entry)),
               textColour(toneOf(entry.check), colours));
    painter->restore();
}

QSize DataSetDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {240, kCardHeight};
}

} // namespace trainyard
