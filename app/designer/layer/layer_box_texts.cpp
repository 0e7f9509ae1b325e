#include "app/designer/layer/layer_box_texts.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "app/base/theme.h"
#include "app/designer/model/layer_text.h"

namespace trainyard {

namespace {

constexpr qreal kTextMargin = 5; ///< above and below
constexpr qreal kBesideText = 8; ///< left and right in a box

qreal widthOf(const QString& text, const QFont& font)
{
    return std::ceil(QFontMetricsF(font).horizontalAdvance(text));
}

qreal heightOf(const QFont& font)
{
    return std::ceil(QFontMetricsF(font).height());
}

/// Puts texts below each other, and beside each other where they fit.
class TextPlacer {
public:
    /// From `left` on.
    TextPlacer(const LayerFonts& fonts, qreal left, qreal width)
        : m_fonts(fonts), m_left(left), m_width(width)
    {
    }

    void addTitle(const QString& title, const QString& figures)
    {
        add(PlacedText::Role::Title, title, m_fonts.title);
        m_used = widthOf(title, m_fonts.title);
        const qreal needed = widthOf(figures, m_fonts.small);
        if (m_used + metrics::kGap + needed > m_width)
            return add(PlacedText::Role::Figures, figures, m_fonts.small);
        PlacedText& text = m_placed.texts.emplace_back();
        text = {PlacedText::Role::Figures,
                {m_width - needed, m_placed.texts.front().rect.top(), needed, heightOf(m_fonts.title)},
                figures,
                Qt::AlignRight};
        m_free = m_width - needed - metrics::kGap;
    }

    /// Beside the title if there is room, else below it.
    void addBeside(const QString& fact)
    {
        const qreal left = m_used + metrics::kGap;
        const qreal width = widthOf(fact, m_fonts.small);
        if (left + width > m_free)
            return addBelow(fact);
        m_placed.texts.push_back({PlacedText::Role::Fact,
                                  {left, m_placed.texts.front().rect.top(), width, heightOf(m_fonts.title)},
                                  fact,
                                  Qt::AlignLeft});
    }

    void addBelow(const QString& facts)
    {
        for (const QString& line : wrappedLines(facts, m_fonts.small, m_width))
            add(PlacedText::Role::Fact, line, m_fonts.small);
    }

    BoxTexts take()
    {
        for (PlacedText& text : m_placed.texts)
            text.rect.translate(m_left, kTextMargin);
        m_placed.height += 2 * kTextMargin;
        return std::move(m_placed);
    }

private:
    void add(PlacedText::Role role, const QString& text, const QFont& font)
    {
        const qreal height = heightOf(font);
        m_placed.texts.push_back({role,
                                  {0, m_placed.height, std::min(m_width, widthOf(text, font)), height},
                                  QFontMetricsF(font).elidedText(text, Qt::ElideRight, m_width),
                                  Qt::AlignLeft});
        m_placed.height += height;
    }

    const LayerFonts& m_fonts;
    qreal m_left;
    qreal m_width;
    qreal m_used = 0; ///< of the first line, from the left
    qreal m_free = 0; ///< of the first line: where its right text begins
    BoxTexts m_placed;
};

} // namespace

BoxTexts boxTexts(const DrawnBox& box, const LayerDrawing& drawing, const LayerFonts& fonts, qreal width)
{
    TextPlacer placer(fonts, kBoxStripe + kBesideText, width - kBoxStripe - 2 * kBesideText);
    placer.addTitle(box.title, boxFigures(box, drawing));
    const QString facts = box.facts.join(QStringLiteral(", "));
    if (box.kind == DrawnBox::Kind::Norm && !facts.isEmpty())
        placer.addBeside(facts);
    else if (!facts.isEmpty())
        placer.addBelow(facts);
    return placer.take();
}

BoxTexts layerTexts(const LayerDrawing& drawing, const LayerFonts& fonts, qreal width)
{
    TextPlacer placer(fonts, 0, width);
    placer.addTitle(layerTitle(drawing), layerFigures(drawing));
    return placer.take();
}

QStringList wrappedLines(const QString& text, const QFont& font, qreal width)
{
    const QFontMetricsF measures(font);
    QStringList lines;
    for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QString longer = lines.isEmpty() ? word : lines.last() + QLatin1Char(' ') + word;
        if (!lines.isEmpty() && std::ceil(measures.horizontalAdvance(longer)) <= width)
            lines.last() = longer;
        else
            lines << measures.elidedText(word, Qt::ElideRight, width);
    }
    return lines;
}

} // namespace trainyard
