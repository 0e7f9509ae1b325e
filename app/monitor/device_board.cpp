#include "app/monitor/device_board.h"

#include <algorithm>
#include <numeric>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "app/models/display_text.h"
#include "app/models/theme.h"

namespace trainyard {

namespace {

constexpr int kCellWidth = 232;
constexpr int kCellHeight = 92;
constexpr int kGap = metrics::kGap;

double allSeconds(const RankFigures& figures)
{
    return std::accumulate(figures.seconds.begin(), figures.seconds.end(), 0.0);
}

/// "rank 3: 412 MiB, planned 398 MiB".
QString describe(const DeviceMemory& memory)
{
    const QString measured = QObject::tr("%1: %2").arg(memory.name, displayBytes(double(memory.peak)));
    return memory.planned
               ? QObject::tr("%1, planned %2").arg(measured, displayBytes(double(totalOf(*memory.planned))))
               : measured;
}

double secondsWaiting(const RankFigures& figures)
{
    const TimeByCommonCause time = byCommonCause(figures.seconds);
    double seconds = 0;
    for (const CommonCause cause : {CommonCause::Tensor, CommonCause::Pipeline, CommonCause::DataParallel,
                                    CommonCause::Bubble, CommonCause::Input})
        seconds += time[std::size_t(cause)];
    return seconds;
}

} // namespace

DeviceBoard::DeviceBoard(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Ranks"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void DeviceBoard::show(const QList<DeviceMemory>& memory, const std::vector<RankSummary>& ranks)
{
    const bool grew = memory.size() != m_memory.size();
    m_memory = memory;
    m_ranks = ranks;
    m_mostBytes = double(memoryScale(memory));
    m_mostSeconds = 1e-9;
    for (const RankSummary& rank : ranks)
        m_mostSeconds = std::max(m_mostSeconds, allSeconds(rank.latest));
    if (m_current >= memory.size())
        setCurrent(-1);
    if (grew)
        updateGeometry();
    update();
}

int DeviceBoard::columns(int width) const
{
    return std::max(1, (width + kGap) / (kCellWidth + kGap));
}

int DeviceBoard::heightForWidth(int width) const
{
    const int perLine = columns(width);
    const int lines = (int(m_memory.size()) + perLine - 1) / perLine;
    return std::max(1, lines) * (kCellHeight + kGap) - kGap;
}

QSize DeviceBoard::sizeHint() const
{
    return {kCellWidth * 2, heightForWidth(std::max(width(), kCellWidth))};
}

QRect DeviceBoard::cellOf(int rank) const
{
    const int perLine = columns(width());
    // The cells share what is left of the line, up to half as wide again.
    const int widest = kCellWidth * 3 / 2;
    const int cell = std::min(widest, (width() + kGap) / perLine - kGap);
    return {rank % perLine * (cell + kGap), rank / perLine * (kCellHeight + kGap), cell, kCellHeight};
}

int DeviceBoard::rankAt(const QPoint& position) const
{
    for (int rank = 0; rank < m_memory.size(); ++rank) {
        if (cellOf(rank).contains(position))
            return rank;
    }
    return -1;
}

void DeviceBoard::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int rank = 0; rank < m_memory.size(); ++rank) {
        if (cellOf(rank).intersects(event->rect()))
            paintCell(painter, rank);
    }
}

void DeviceBoard::paintCell(QPainter& painter, int rank) const
{
    const ThemeColours& colours = coloursOf(palette());
    const DeviceMemory& memory = m_memory[rank];
    const QRect cell = cellOf(rank);
    const bool chosen = rank == m_current;
    painter.setPen(chosen ? QPen(colours.accent, hasFocus() ? 2 : 1) : QPen(colours.border));
    painter.setBrush(chosen ? colours.accentTint : colours.panel);
    painter.drawRoundedRect(QRectF(cell).adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);

    const QRect inner = cell.adjusted(12, 8, -12, -8);
    const int line = fontMetrics().height();
    QRect text(inner.left(), inner.top(), inner.width(), line);
    const QString amount = displayBytes(double(memory.peak));
    painter.setPen(colours.text);
    painter.drawText(text, Qt::AlignRight, amount);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.drawText(text, Qt::AlignLeft, memory.name);
    const int used = QFontMetrics(bold).horizontalAdvance(memory.name) + kGap;
    painter.setFont(font());
    painter.setPen(colours.muted);
    const QRect host = text.adjusted(used, 0, -fontMetrics().horizontalAdvance(amount) - kGap, 0);
    painter.drawText(host, Qt::AlignLeft,
                     fontMetrics().elidedText(oneLine(memory.host), Qt::ElideMiddle, host.width()));

    const QRectF bar(inner.left(), inner.top() + line + 6, inner.width(), 14);
    paintMemory(painter, memory.planned ? bar.adjusted(0, 0, 0, -6) : bar, memory);
    if (memory.planned)
        paintPlanned(painter, bar.adjusted(0, 9, 0, 0), *memory.planned);
    const RankFigures& latest = m_ranks[std::size_t(rank)].latest;
    paintTime(painter, QRectF(inner.left(), inner.top() + line + 26, inner.width(), 8), latest);
    painter.setPen(colours.muted);
    painter.drawText(QRect(inner.left(), inner.bottom() - line + 2, inner.width(), line), Qt::AlignLeft,
                     tr("step %1, of it waiting %2")
                         .arg(displaySeconds(allSeconds(latest)), displaySeconds(secondsWaiting(latest))));
}

void DeviceBoard::paintMemory(QPainter& painter, const QRectF& bar, const DeviceMemory& memory) const
{
    const ThemeColours& colours = coloursOf(palette());
    const double perByte = bar.width() / m_mostBytes;
    double x = bar.left();
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const double width = double(memory.categories[i]) * perByte;
        painter.fillRect(QRectF(x, bar.top(), width, bar.height()),
                         colourOf(MemoryCategory(i), colours.scheme));
        x += width;
    }
    if (memory.capacity > memory.peak) {
        const double end = std::min(bar.right(), bar.left() + double(memory.capacity) * perByte);
        const QRectF free(x, bar.top(), end - x, bar.height());
        painter.fillRect(free, QBrush(freeMemoryColour(colours.scheme), Qt::BDiagPattern));
    }
}

void DeviceBoard::paintPlanned(QPainter& painter, const QRectF& bar, const MemoryByCategory& planned) const
{
    const ColourScheme scheme = coloursOf(palette()).scheme;
    const double perByte = bar.width() / m_mostBytes;
    double x = bar.left();
    painter.setBrush(Qt::NoBrush);
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const double width = double(planned[i]) * perByte;
        if (width >= 1) {
            painter.setPen(QPen(colourOf(MemoryCategory(i), scheme), 1));
            painter.drawRect(QRectF(x, bar.top(), width, bar.height()).adjusted(0.5, 0.5, -0.5, -0.5));
        }
        x += width;
    }
}

void DeviceBoard::paintTime(QPainter& painter, const QRectF& bar, const RankFigures& figures) const
{
    const ColourScheme scheme = coloursOf(palette()).scheme;
    const TimeByCommonCause time = byCommonCause(figures.seconds);
    double x = bar.left();
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const double width = time[i] / m_mostSeconds * bar.width();
        painter.fillRect(QRectF(x, bar.top(), width, bar.height()), colourOf(CommonCause(i), scheme));
        x += width;
    }
}

void DeviceBoard::setCurrent(int rank)
{
    if (rank == m_current)
        return;
    m_current = rank;
    if (rank >= 0)
        setAccessibleDescription(describe(m_memory[rank]));
    update();
    emit currentChanged(rank);
}

void DeviceBoard::mousePressEvent(QMouseEvent* event)
{
    setCurrent(rankAt(event->position().toPoint()));
}

void DeviceBoard::keyPressEvent(QKeyEvent* event)
{
    const int last = int(m_memory.size()) - 1;
    const auto go = [&](int by) {
        setCurrent(std::clamp(m_current < 0 ? 0 : m_current + by, 0, std::max(0, last)));
    };
    if (last < 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return go(-1);
    case Qt::Key_Right:
        return go(+1);
    case Qt::Key_Up:
        return go(-columns(width()));
    case Qt::Key_Down:
        return go(+columns(width()));
    default:
        QWidget::keyPressEvent(event);
    }
}

bool DeviceBoard::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int rank = rankAt(help->pos());
        QToolTip::showText(
            help->globalPos(),
            rank < 0 ? QString() : toolTipOf(m_memory[rank].host + '\n' + describe(m_memory[rank])), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace trainyard
