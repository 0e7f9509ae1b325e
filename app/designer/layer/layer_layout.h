#pragma once

#include <vector>

#include <QPolygonF>
#include <QRectF>

#include "app/designer/layer/layer_box_texts.h"

namespace trainyard {

/// Positions of boxes, texts and lines in the drawing of a layer, in pixels. The parts of the model are below
/// each other; where there is not enough height for that, the layer is beside the rest. A plain value.
class LayerLayout {
public:
    LayerLayout() = default;
    /// The widest gaps that fit into `room`; if nothing fits, as low as possible.
    LayerLayout(const LayerDrawing& drawing, const LayerFonts& fonts, const QSizeF& room);

    static constexpr qreal kMinWidth = 264;
    static constexpr qreal kSumRadius = 7;

    QSizeF size() const { return m_size; }
    /// In the order of LayerDrawing::boxes().
    const std::vector<QRectF>& boxes() const { return m_boxes; }
    const std::vector<PlacedText>& texts() const { return m_texts; }
    /// Each with an arrow at its end.
    const std::vector<QPolygonF>& arrows() const { return m_arrows; }
    const std::vector<QPolygonF>& lines() const { return m_lines; }
    const std::vector<QPointF>& sums() const { return m_sums; }
    QRectF frame() const { return m_frame; } ///< around the layer
    /// Returns -1 if there is none.
    int boxAt(const QPointF& position) const;

private:
    friend class LayerPlacer;

    QSizeF m_size;
    std::vector<QRectF> m_boxes;
    std::vector<PlacedText> m_texts;
    std::vector<QPolygonF> m_arrows;
    std::vector<QPolygonF> m_lines;
    std::vector<QPointF> m_sums;
    QRectF m_frame;
};

} // namespace trainyard
