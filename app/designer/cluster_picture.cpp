#include "app/designer/cluster_picture.h"

#include <algorithm>

#include <QPainter>

#include "app/models/theme.h"

namespace trainyard {

namespace {

constexpr int kCell = 28;
constexpr int kCellGap = 4;
constexpr int kBoxGap = 8;
constexpr int kPad = 10;
constexpr int kTitle = 22;
constexpr int kMinBox = 152;
constexpr int kCellsPerLine = 8;
constexpr int kMaxCells =
    64; ///< of a host with more slots only the first ones are drawn, and the rest is counted

int shownCells(int slotCount)
{
    return std::clamp(slotCount, 1, kMaxCells);
}

} // namespace

ClusterPicture::ClusterPicture(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Cluster"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ClusterPicture::setSpec(const RunSpec& spec)
{
    m_nodes = spec.cluster.nodes;
    m_worldSize = std::max(1, spec.layout.worldSize());
    setAccessibleDescription(tr("%1 ranks on %2 hosts with %3 slots")
                                 .arg(m_worldSize)
                                 .arg(m_nodes.size())
                                 .arg(spec.cluster.totalSlots()));
    updateGeometry();
    setMinimumHeight(heightForWidth(width()));
    update();
}

QSize ClusterPicture::sizeHint() const
{
    return {480, heightForWidth(480)};
}

QSize ClusterPicture::minimumSizeHint() const
{
    return {kMinBox, 2 * kPad + kTitle + kCell};
}

int ClusterPicture::heightForWidth(int width) const
{
    std::vector<Box> boxes;
    return arrange(width, boxes);
}

void ClusterPicture::resizeEvent(QResizeEvent* event)
{
    setMinimumHeight(heightForWidth(width()));
    QWidget::resizeEvent(event);
}

int ClusterPicture::arrange(int width, std::vector<Box>& boxes) const
{
    QPoint at(0, 0);
    int lineHeight = 0;
    int rank = 0;
    for (const NodeSpec& node : m_nodes) {
        const int cells = shownCells(node.slotCount);
        const int perLine = std::min(cells, kCellsPerLine);
        const int lines = (cells + kCellsPerLine - 1) / kCellsPerLine;
        const QSize size(std::max(kMinBox, 2 * kPad + perLine * (kCell + kCellGap) - kCellGap),
                         2 * kPad + kTitle + lines * (kCell + kCellGap) - kCellGap);
        if (at.x() > 0 && at.x() + size.width() > width) {
            at = QPoint(0, at.y() + lineHeight + kBoxGap);
            lineHeight = 0;
        }
        boxes.push_back(
            {QString::fromStdString(node.host), node.slotCount, rank, QRect(at, size), kCellsPerLine});
        at.rx() += size.width() + kBoxGap;
        lineHeight = std::max(lineHeight, size.height());
        rank += node.slotCount;
    }
    return at.y() + lineHeight + 1;
}

void ClusterPicture::paintEvent(QPaintEvent*)
{
    std::vector<Box> boxes;
    arrange(width(), boxes);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Box& box : boxes)
        paintBox(painter, box);
}

void ClusterPicture::paintBox(QPainter& painter, const Box& box) const
{
    const ThemeColours& colours = coloursOf(palette());
    painter.setPen(colours.border);
    painter.setBrush(colours.window);
    painter.drawRoundedRect(QRectF(box.frame).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius,
                            metrics::kRadius);
    const int used = std::clamp(m_worldSize - box.firstRank, 0, box.slotCount);
    const QRect title = box.frame.adjusted(kPad, kPad - 4, -kPad, 0);
    const QString count = tr("%1 / %2").arg(used).arg(box.slotCount);
    painter.setPen(colours.muted);
    painter.drawText(title, Qt::AlignRight | Qt::AlignTop, count);
    painter.setPen(colours.text);
    const int nameWidth = title.width() - fontMetrics().horizontalAdvance(count) - kBoxGap;
    painter.drawText(title, Qt::AlignLeft | Qt::AlignTop,
                     fontMetrics().elidedText(box.host, Qt::ElideMiddle, nameWidth));

    for (int cell = 0; cell < shownCells(box.slotCount); ++cell) {
        const QRectF rect(box.frame.left() + kPad + cell % box.cellsPerLine * (kCell + kCellGap) + 0.5,
                          box.frame.top() + kPad + kTitle + cell / box.cellsPerLine * (kCell + kCellGap) +
                              0.5,
                          kCell - 1, kCell - 1);
        const bool taken = cell < used;
        painter.setBrush(taken ? QBrush(colours.accentTint) : QBrush(Qt::NoBrush));
        painter.setPen(
            QPen(taken ? colours.accent : colours.border, 1, taken ? Qt::SolidLine : Qt::DashLine));
        painter.drawRoundedRect(rect, 4, 4);
        if (taken) {
            painter.setPen(colours.accentText);
            painter.drawText(rect, Qt::AlignCenter, QString::number(box.firstRank + cell));
        }
    }
}

} // namespace trainyard
