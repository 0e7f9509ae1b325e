#include "app/monitor/expert_map.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/runs/expert_balance.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/item_walk.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr double kMaxShown = 4; ///< even shares at which a cell is as dark as can be
constexpr int kRowPixels = 10;
constexpr int kLabelWidth = 34;
constexpr int kAxisHeight = 16;

QColor mixed(const QColor& from, const QColor& to, double share)
{
    const auto between = [share](double a, double b) { return static_cast<float>(a + share * (b - a)); };
    return QColor::fromRgbF(between(from.redF(), to.redF()), between(from.greenF(), to.greenF()),
                            between(from.blueF(), to.blueF()));
}

QString shareText(double share)
{
    return QObject::tr("%1 × an even share").arg(displayNumber(share));
}

QString summaryOf(const ExpertLoad& load)
{
    const std::vector<LayerBalance> layers = balanceOf(load);
    if (layers.empty())
        return {};
    const LayerBalance& most = *std::ranges::max_element(layers, {}, &LayerBalance::most);
    int idle = 0;
    for (const LayerBalance& layer : layers)
        idle += layer.idle;
    QString text = QObject::tr("step %1 · busiest: expert %2 of layer %3, %4")
                       .arg(displayCount(load.step))
                       .arg(most.busiest)
                       .arg(most.layer)
                       .arg(shareText(most.most));
    if (idle > 0)
        text += QObject::tr(" · %1 of %2 idle")
                    .arg(displayCount(idle))
                    .arg(displayCount(std::int64_t(layers.size()) * load.experts));
    return text;
}

} // namespace

ExpertMap::ExpertMap(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Tokens per expert"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ExpertMap::setLoad(const ExpertLoad& load)
{
    if (load == m_load)
        return;
    const bool isOfSameShape = load.layers == m_load.layers && load.experts == m_load.experts;
    m_load = load;
    m_shares.clear();
    for (std::size_t layer = 0; layer < load.layers.size(); ++layer)
        m_shares.push_back(sharesOf(load, layer));
    if (!isOfSameShape) {
        setCurrent(std::nullopt);
        updateGeometry();
    } else if (m_current) {
        tell();
    }
    update();
}

void ExpertMap::tell()
{
    const QString words = m_current ? wordsOf(*m_current) : QString();
    setAccessibleDescription(words);
    emit readOutChanged(words);
}

QSize ExpertMap::sizeHint() const
{
    return {320, std::clamp(layers(), 1, 24) * kRowPixels + kAxisHeight};
}

QRectF ExpertMap::area() const
{
    return QRectF(rect()).adjusted(kLabelWidth, 0, -1, -kAxisHeight);
}

QRectF ExpertMap::cellOf(int layer, int expert) const
{
    const QRectF all = area();
    const double width = all.width() / std::max(1, m_load.experts);
    const double height = all.height() / std::max(1, layers());
    const double gap = std::min(width, height) > 4 ? 1 : 0;
    return {all.left() + expert * width, all.top() + layer * height, width - gap, height - gap};
}

void ExpertMap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColours& colours = coloursOf(palette());
    for (int layer = 0; layer < layers(); ++layer) {
        for (int expert = 0; expert < m_load.experts; ++expert) {
            const double share = m_shares[std::size_t(layer)][std::size_t(expert)];
            const QRectF cell = cellOf(layer, expert);
            painter.fillRect(cell, mixed(colours.grid, colours.accent, std::min(1.0, share / kMaxShown)));
            if (share < kIdleShare)
                painter.fillRect(cell, QBrush(colours.warning, Qt::BDiagPattern));
        }
    }
    paintAxes(painter);
    if (m_current) {
        painter.setPen(QPen(colours.text, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cellOf(*m_current / m_load.experts, *m_current % m_load.experts));
    }
    paintFocusRing(painter, *this, area());
}

void ExpertMap::paintAxes(QPainter& painter) const
{
    if (layers() == 0)
        return;
    QFont small = font();
    small.setPixelSize(metrics::kTickPixels);
    painter.setFont(small);
    painter.setPen(coloursOf(palette()).muted);
    const QRectF all = area();
    const double height = all.height() / layers();
    const int everyRow = std::max(1, int(std::ceil(14 / height)));
    for (int layer = 0; layer < layers(); layer += everyRow)
        painter.drawText(QRectF(0, all.top() + layer * height, kLabelWidth - 6, std::max(height, 14.0)),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(m_load.layers[std::size_t(layer)]));
    const double width = all.width() / m_load.experts;
    const int everyColumn = std::max(1, int(std::ceil(28 / width)));
    for (int expert = 0; expert < m_load.experts; expert += everyColumn)
        painter.drawText(
            QRectF(all.left() + expert * width, all.bottom() + 1, width * everyColumn, kAxisHeight),
            Qt::AlignLeft | Qt::AlignVCenter, QString::number(expert));
}

QString ExpertMap::wordsOf(int cell) const
{
    const auto layer = std::size_t(cell / m_load.experts);
    const auto expert = std::size_t(cell % m_load.experts);
    return tr("layer %1, expert %2: %3, %4 token-expert pairs")
        .arg(m_load.layers[layer])
        .arg(expert)
        .arg(shareText(m_shares[layer][expert]), displayCount(m_load.ofLayer(layer)[expert]));
}

void ExpertMap::setCurrent(std::optional<int> cell)
{
    if (cell == m_current)
        return;
    m_current = cell;
    tell();
    update();
}

void ExpertMap::mouseMoveEvent(QMouseEvent* event)
{
    const QRectF all = area();
    if (!all.contains(event->position()) || layers() == 0)
        return setCurrent(std::nullopt);
    const QPointF at = event->position() - all.topLeft();
    const int expert = std::min(m_load.experts - 1, int(at.x() / all.width() * m_load.experts));
    const int layer = std::min(layers() - 1, int(at.y() / all.height() * layers()));
    setCurrent(layer * m_load.experts + expert);
}

void ExpertMap::leaveEvent(QEvent*)
{
    setCurrent(std::nullopt);
}

void ExpertMap::keyPressEvent(QKeyEvent* event)
{
    const int count = layers() * m_load.experts;
    const bool isVertical = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    if (isVertical && m_current && event->modifiers() == Qt::NoModifier) {
        const int to = *m_current + (event->key() == Qt::Key_Up ? -1 : 1) * m_load.experts;
        return setCurrent(to >= 0 && to < count ? to : *m_current);
    }
    if (const auto walk = walkOf(*event, m_current, count))
        setCurrent(walk->to);
    else
        QWidget::keyPressEvent(event);
}

ExpertPanel::ExpertPanel(QWidget* parent)
    : QFrame(parent), m_map(new ExpertMap), m_readOut(new ReadOutLabel("small"))
{
    setRole(this, "panel");
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Tokens per expert"), "heading"));
    head->addWidget(m_readOut, 1);
    m_readOut->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_map->setToolTip(tr("A row for each layer with experts, a column for each expert: the stronger the "
                         "colour, the more tokens; hatched: less than a tenth of an even share"));
    auto* column = columnLayout(this, metrics::kHalf, metrics::kLowPanelMargins);
    column->addLayout(head);
    column->addWidget(m_map);
    connect(m_map, &ExpertMap::readOutChanged, m_readOut, &ReadOutLabel::setReadOut);
}

void ExpertPanel::setLoad(const ExpertLoad& load)
{
    m_readOut->setSummary(summaryOf(load));
    m_map->setLoad(load);
}

} // namespace trainyard
