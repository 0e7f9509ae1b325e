#pragma once

#include <vector>

#include <QFont>
#include <QRectF>
#include <QStringList>

#include "app/designer/model/layer_drawing.h"

namespace trainyard {

/// The fonts of a drawing.
struct LayerFonts {
    QFont title;
    QFont small; ///< facts and figures
};

/// A text in its rectangle, which it fills at most.
struct PlacedText {
    enum class Role { Title, Fact, Figures };

    Role role = Role::Fact;
    QRectF rect;
    QString text; ///< elided if there is no room for all of it
    Qt::Alignment alignment = Qt::AlignLeft;
};

/// Texts from the upper left corner of what they are in, below each other, and beside each other where they
/// fit.
struct BoxTexts {
    std::vector<PlacedText> texts;
    qreal height = 0; ///< that they need, with a margin
};

constexpr qreal kBoxStripe = 3; ///< pixels at the left edge of a box that no text covers

/// Of a box of that width.
BoxTexts boxTexts(const DrawnBox& box, const LayerDrawing& drawing, const LayerFonts& fonts, qreal width);
/// The head of the layer: its title and parameters.
BoxTexts layerTexts(const LayerDrawing& drawing, const LayerFonts& fonts, qreal width);

/// `text` in lines of at most that width, broken between words; words wider than that are elided.
QStringList wrappedLines(const QString& text, const QFont& font, qreal width);

} // namespace trainyard
