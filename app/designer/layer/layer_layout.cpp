#include "app/designer/layer/layer_layout.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

constexpr qreal kOutline = 1;        ///< so that no outline is cut
constexpr qreal kWidest = 560;       ///< one column: figures stay near their names in a wide window
constexpr qreal kWidestPair = 880;   ///< two columns
constexpr qreal kMinPair = 440;      ///< in less the texts of two columns become towers
constexpr qreal kBesideShare = 0.36; ///< of two columns: what is not the layer
constexpr qreal kGutter = 28;        ///< between two columns
constexpr qreal kSpine = 16;         ///< from the left edge of the layer to the residual
constexpr qreal kLanes = 40;         ///< from the same edge to its boxes
constexpr qreal kLaneGap = 12;
constexpr qreal kPadding = 8;   ///< of the layer, left and right of its boxes
constexpr qreal kBelowSum = 12; ///< of the layer, below its last part
constexpr qreal kTurn = 0.6;    ///< of a gap: to where a line turns

/// How a drawing is arranged.
struct Arrangement {
    bool hasTwoColumns = false;
    qreal gap = 0; ///< between boxes
};

/// The first one that fits is taken, else the last one.
constexpr Arrangement kArrangements[] = {{false, 24}, {false, 20}, {false, 16}, {false, 12},
                                         {true, 20},  {true, 16},  {true, 12}};

struct Column {
    qreal left;
    qreal width;

    qreal right() const { return left + width; }
    qreal centre() const { return left + width / 2; }
    Column inside(qreal left_, qreal right_) const { return {left + left_, width - left_ - right_}; }
};

/// Part `index` of `count` beside each other.
Column partOf(const Column& column, std::size_t index, std::size_t count)
{
    const auto parts = static_cast<qreal>(count);
    const qreal width = std::floor((column.width - (parts - 1) * kLaneGap) / parts);
    return {column.left + static_cast<qreal>(index) * (width + kLaneGap), width};
}

} // namespace

/// Places the parts of a drawing from top to bottom. A line that is under way from one part to the next is
/// the list of its corners.
class LayerPlacer {
public:
    LayerPlacer(const LayerDrawing& drawing, const LayerFonts& fonts, qreal gap)
        : m_drawing(drawing), m_fonts(fonts), m_gap(gap)
    {
    }

    LayerLayout inOneColumn(qreal room)
    {
        const qreal width = std::floor(std::clamp(room, LayerLayout::kMinWidth, kWidest)) - 2 * kOutline;
        const Column column{std::floor(std::max(kOutline, (room - width) / 2)), width};
        QPolygonF line;
        line = placeBelow(m_drawing.before, column, column.left + kSpine, kOutline, line);
        line = placeLayer(column, line.last().y() + m_gap, line);
        const qreal bottom = m_layout.m_frame.bottom();
        line = placeBelow(m_drawing.behind, column, column.left + kSpine, bottom + m_gap, line);
        m_layout.m_size = {std::max(room, column.right() + kOutline), line.last().y() + kOutline};
        return std::move(m_layout);
    }

    LayerLayout inTwoColumns(qreal room)
    {
        const qreal width = std::floor(std::min(room, kWidestPair)) - 2 * kOutline;
        const qreal left = std::floor((room - width) / 2);
        const Column beside{left, std::floor((width - kGutter) * kBesideShare)};
        const Column layer{beside.right() + kGutter, width - kGutter - beside.width};
        placeBelow(m_drawing.before, beside, beside.centre(), kOutline, {});
        const QRectF last = m_layout.m_boxes.back();
        const qreal entry = kOutline + std::floor(layerTexts(m_drawing, m_fonts, layer.width).height / 2);
        QPolygonF line{{last.right(), entry}, {layer.left + kSpine, entry}};
        line = placeLayer(layer, kOutline, line);
        line = leaveLayer(line, beside.right() + kGutter / 2);
        const qreal top = std::max(last.bottom() + 2 * m_gap,
                                   m_layout.m_frame.bottom() - heightBelow(m_drawing.behind, beside.width));
        const qreal middle = top + std::floor(textsOf(m_drawing.behind.front(), beside.width).height / 2);
        line << QPointF(line.last().x(), middle) << QPointF(beside.right(), middle);
        m_layout.m_arrows.push_back(line);
        const QPolygonF end = placeBelow(m_drawing.behind, beside, beside.centre(), top, {});
        m_layout.m_size = {room, std::max(end.last().y(), m_layout.m_frame.bottom()) + kOutline};
        return std::move(m_layout);
    }

private:
    BoxTexts textsOf(const DrawnBox& box, qreal width) const
    {
        return boxTexts(box, m_drawing, m_fonts, width);
    }

    qreal heightBelow(const std::vector<DrawnBox>& boxes, qreal width) const
    {
        qreal height = -m_gap;
        for (const DrawnBox& box : boxes)
            height += m_gap + textsOf(box, width).height;
        return height;
    }

    QRectF place(const DrawnBox& box, const Column& column, qreal top)
    {
        BoxTexts texts = textsOf(box, column.width);
        const qreal height = texts.height;
        add(std::move(texts), {column.left, top});
        return m_layout.m_boxes.emplace_back(column.left, top, column.width, height);
    }

    void add(BoxTexts texts, const QPointF& corner)
    {
        for (PlacedText& text : texts.texts) {
            text.rect.translate(corner);
            m_layout.m_texts.push_back(std::move(text));
        }
    }

    /// Below each other from `top` on, connected along `x`; `line` comes to the first. Returns the line that
    /// leaves the last one, or `line` if there is no box.
    QPolygonF placeBelow(const std::vector<DrawnBox>& boxes, const Column& column, qreal x, qreal top,
                         QPolygonF line)
    {
        for (const DrawnBox& box : boxes) {
            const QRectF rect = place(box, column, top);
            if (!line.isEmpty())
                m_layout.m_arrows.push_back(line << QPointF(x, rect.top()));
            line = {QPointF(x, rect.bottom())};
            top = rect.bottom() + m_gap;
        }
        return line;
    }

    QPolygonF placeLayer(const Column& column, qreal top, QPolygonF line)
    {
        const Column lanes = column.inside(kLanes, kPadding);
        BoxTexts head = layerTexts(m_drawing, m_fonts, lanes.width);
        const qreal height = head.height;
        add(std::move(head), {lanes.left, top});
        qreal y = top + height;
        for (const DrawnBranch& branch : m_drawing.branches) {
            line = placeBranch(branch, column, y, line);
            y = line.last().y();
        }
        m_layout.m_frame = {column.left, top, column.width, y + kBelowSum - top};
        return line;
    }

    /// A branch leaves the residual, passes its boxes and is added to it.
    QPolygonF placeBranch(const DrawnBranch& branch, const Column& column, qreal y, QPolygonF line)
    {
        const Column all = column.inside(kLanes, kPadding);
        const qreal spine = column.left + kSpine;
        const qreal fork = y + std::floor(m_gap * kTurn);
        const std::size_t count = branch.lanes.size();
        qreal bottom = fork;
        std::vector<QPointF> ends;
        for (std::size_t i = 0; i < count; ++i) {
            const Column lane = partOf(all, i, count);
            const QPolygonF begin{{lane.centre(), fork}};
            const QPolygonF end =
                placeBelow(branch.lanes[i].boxes, lane, lane.centre(), fork + m_gap * kTurn, begin);
            ends.push_back(end.last());
            bottom = std::max(bottom, end.last().y());
        }
        const qreal join = std::floor(bottom + m_gap * kTurn);
        const qreal farthest = ends.back().x();
        m_layout.m_lines.push_back({{spine, fork}, {farthest, fork}});
        for (const QPointF& end : ends)
            m_layout.m_lines.push_back({end, {end.x(), join}});
        m_layout.m_arrows.push_back({{farthest, join}, {spine + LayerLayout::kSumRadius, join}});
        m_layout.m_arrows.push_back(line << QPointF(spine, join - LayerLayout::kSumRadius));
        m_layout.m_sums.emplace_back(spine, join);
        line = {QPointF(spine, join + LayerLayout::kSumRadius)};
        return placeBelow(branch.afterSum, column.inside(kPadding, kPadding), spine, line.last().y() + m_gap,
                          line);
    }

    /// To the gutter between the columns.
    QPolygonF leaveLayer(QPolygonF line, qreal gutter)
    {
        const qreal exit = line.last().y() + kBelowSum / 2;
        return line << QPointF(line.last().x(), exit) << QPointF(gutter, exit);
    }

    const LayerDrawing& m_drawing;
    const LayerFonts& m_fonts;
    qreal m_gap;
    LayerLayout m_layout;
};

LayerLayout::LayerLayout(const LayerDrawing& drawing, const LayerFonts& fonts, const QSizeF& room)
{
    for (const Arrangement& arrangement : kArrangements) {
        if (arrangement.hasTwoColumns && room.width() < kMinPair)
            break;
        LayerPlacer placer(drawing, fonts, arrangement.gap);
        *this =
            arrangement.hasTwoColumns ? placer.inTwoColumns(room.width()) : placer.inOneColumn(room.width());
        if (m_size.height() <= room.height())
            break;
    }
}

int LayerLayout::boxAt(const QPointF& position) const
{
    const auto found =
        std::ranges::find_if(m_boxes, [&](const QRectF& box) { return box.contains(position); });
    return found == m_boxes.end() ? -1 : static_cast<int>(found - m_boxes.begin());
}

} // namespace trainyard
