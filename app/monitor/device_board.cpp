#include "app/monitor/device_board.h"

#include <algorithm>
#include <numeric>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "app/base/display_text.h"
#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr QSize kLargeCell{264, 100};
constexpr QSize kSmallCell{112, 48};
constexpr int kMaxLarge = 48; ///< ranks; more are drawn small
constexpr int kGap = metrics::kGap;
constexpr int kGroupWidth = 4;
constexpr int kDashedFrom = 8; ///< groups, after which the colours come again

double allSeconds(const RankStats& stats)
{
    return std::accumulate(stats.seconds.begin(), stats.seconds.end(), 0.0);
}

/// Returns e.g. "rank 3 · gpu-03, device 3 · D 0 P 1 T 1: 412 MiB, planned 398 MiB, 94 % · 63 °C · 284 W".
QString describe(const DeviceStats& device)
{
    QStringList parts{displayBytes(double(device.memory.peak))};
    if (device.memory.planned)
        parts << QObject::tr("planned %1").arg(displayBytes(double(totalOf(*device.memory.planned))));
    if (device.sample)
        parts << loadText(*device.sample);
    if (device.sample && !troubleText(*device.sample).isEmpty())
        parts << troubleText(*device.sample);
    return placeText(device) + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

double secondsWaiting(const RankStats& stats)
{
    const TimeByCommonCause time = byCommonCause(stats.seconds);
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

void DeviceBoard::show(std::vector<DeviceStats> devices)
{
    const bool grew = devices.size() != m_devices.size();
    m_devices = std::move(devices);
    QList<DeviceMemory> memory;
    m_mostSeconds = 1e-9;
    for (const DeviceStats& device : m_devices) {
        memory.append(device.memory);
        m_mostSeconds = std::max(m_mostSeconds, allSeconds(device.time.latest));
    }
    m_mostBytes = double(memoryScale(memory));
    if (m_current >= count())
        setCurrent(-1);
    if (grew)
        updateGeometry();
    update();
}

void DeviceBoard::setThresholds(const BoardThresholds& thresholds)
{
    m_thresholds = thresholds;
    update();
}

void DeviceBoard::setGrouping(std::optional<GroupAxis> axis)
{
    m_grouping = axis;
    update();
}

bool DeviceBoard::isSmall() const
{
    return count() > kMaxLarge;
}

QSize DeviceBoard::cellSize() const
{
    return isSmall() ? kSmallCell : kLargeCell;
}

int DeviceBoard::columns(int width) const
{
    return std::max(1, (width + kGap) / (cellSize().width() + kGap));
}

int DeviceBoard::heightForWidth(int width) const
{
    const int perLine = columns(width);
    const int lines = (count() + perLine - 1) / perLine;
    return std::max(1, lines) * (cellSize().height() + kGap) - kGap;
}

QSize DeviceBoard::sizeHint() const
{
    return {kLargeCell.width() * 2, heightForWidth(std::max(width(), kLargeCell.width()))};
}

QRect DeviceBoard::cellOf(int rank) const
{
    const int perLine = columns(width());
    // The cells share the rest of the line, up to 1.5 times their width.
    const QSize least = cellSize();
    const int cell = std::min(least.width() * 3 / 2, (width() + kGap) / perLine - kGap);
    return {rank % perLine * (cell + kGap), rank / perLine * (least.height() + kGap), cell, least.height()};
}

int DeviceBoard::rankAt(const QPoint& position) const
{
    const QRect first = cellOf(0);
    const int column = position.x() / (first.width() + kGap);
    const int rank = position.y() / (first.height() + kGap) * columns(width()) + column;
    return column < columns(width()) && rank < count() && cellOf(rank).contains(position) ? rank : -1;
}

void DeviceBoard::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int pitch = cellSize().height() + kGap;
    const int perLine = columns(width());
    const int first = event->rect().top() / pitch * perLine;
    const int last = std::min(count(), (event->rect().bottom() / pitch + 1) * perLine);
    for (int rank = first; rank < last; ++rank)
        paintCell(painter, rank);
}

QColor DeviceBoard::loadColour(const DeviceStats& device) const
{
    const ThemeColours& colours = coloursOf(palette());
    if (!device.sample)
        return colours.muted;
    if (!troubleText(*device.sample).isEmpty())
        return device.sample->health.uncorrectedErrors.value_or(0) > 0 ? colours.badText
                                                                       : colours.warningText;
    const double load = device.sample->utilisation;
    return load < m_thresholds.loadLow    ? colours.warningText
           : load > m_thresholds.loadHigh ? colours.goodText
                                          : colours.text;
}

QColor DeviceBoard::amountColour(const DeviceStats& device) const
{
    const ThemeColours& colours = coloursOf(palette());
    const double capacity = double(device.memory.capacity);
    const bool full = capacity > 0 && double(device.memory.peak) > m_thresholds.memoryHigh * capacity;
    return full ? colours.warningText : colours.text;
}

void DeviceBoard::paintCell(QPainter& painter, int rank) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QRect cell = cellOf(rank);
    const bool chosen = rank == m_current;
    painter.setPen(chosen ? QPen(colours.accent, hasFocus() ? 2 : 1) : QPen(colours.border));
    painter.setBrush(chosen ? colours.accentTint : colours.panel);
    painter.drawRoundedRect(QRectF(cell).adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
    if (m_grouping)
        paintGroup(painter, device(rank), cell);
    if (isSmall())
        paintSmall(painter, device(rank), cell.adjusted(12, 6, -8, -6));
    else
        paintLarge(painter, device(rank), cell.adjusted(12, 8, -12, -8));
}

/// Paints a stripe at the left edge; from the ninth group on a broken one, because the colours repeat.
void DeviceBoard::paintGroup(QPainter& painter, const DeviceStats& device, const QRect& cell) const
{
    const int group = device.groupOf(*m_grouping);
    const QRectF stripe(cell.left() + 3, cell.top() + 6, kGroupWidth, cell.height() - 12);
    const QColor colour = seriesStyle(coloursOf(palette()).scheme, group).colour;
    painter.fillRect(stripe, group < kDashedFrom ? QBrush(colour) : QBrush(colour, Qt::Dense4Pattern));
}

void DeviceBoard::paintSmall(QPainter& painter, const DeviceStats& device, const QRect& inner) const
{
    const QRect line(inner.left(), inner.top(), inner.width(), fontMetrics().height());
    painter.setPen(coloursOf(palette()).text);
    painter.drawText(line, Qt::AlignLeft, QString::number(device.rank));
    painter.setPen(device.sample ? loadColour(device) : amountColour(device));
    painter.drawText(line, Qt::AlignRight,
                     device.sample ? displayPercent(device.sample->utilisation)
                                   : displayBytes(double(device.memory.peak)));
    paintMemory(painter, QRectF(inner.left(), inner.bottom() - 9, inner.width(), 8), device.memory);
}

void DeviceBoard::paintLarge(QPainter& painter, const DeviceStats& device, const QRect& inner) const
{
    const int line = fontMetrics().height();
    paintHead(painter, device, {inner.left(), inner.top(), inner.width(), line});
    const DeviceMemory& memory = device.memory;
    const QRectF bar(inner.left(), inner.top() + line + 6, inner.width(), 14);
    paintMemory(painter, memory.planned ? bar.adjusted(0, 0, 0, -6) : bar, memory);
    if (memory.planned)
        paintPlanned(painter, bar.adjusted(0, 9, 0, 0), *memory.planned);
    paintTime(painter, QRectF(inner.left(), inner.top() + line + 26, inner.width(), 8), device.time.latest);
    paintFoot(painter, device, {inner.left(), inner.bottom() - line + 1, inner.width(), line});
}

void DeviceBoard::paintHead(QPainter& painter, const DeviceStats& device, const QRect& line) const
{
    const QString amount = displayBytes(double(device.memory.peak));
    painter.setPen(amountColour(device));
    painter.drawText(line, Qt::AlignRight, amount);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(coloursOf(palette()).text);
    painter.drawText(line, Qt::AlignLeft, device.memory.name);
    const int used = QFontMetrics(bold).horizontalAdvance(device.memory.name) + kGap;
    painter.setFont(font());
    painter.setPen(coloursOf(palette()).muted);
    const QRect middle = line.adjusted(used, 0, -fontMetrics().horizontalAdvance(amount) - kGap, 0);
    const QString group =
        m_grouping ? tr("%1 %2  ").arg(letterOf(*m_grouping)).arg(device.groupOf(*m_grouping)) : QString();
    painter.drawText(
        middle, Qt::AlignLeft,
        fontMetrics().elidedText(group + oneLine(device.memory.host), Qt::ElideMiddle, middle.width()));
}

void DeviceBoard::paintFoot(QPainter& painter, const DeviceStats& device, const QRect& line) const
{
    const RankStats& latest = device.time.latest;
    const QString step = tr("step %1").arg(displaySeconds(allSeconds(latest)));
    painter.setPen(coloursOf(palette()).muted);
    if (!device.sample) {
        painter.drawText(line, Qt::AlignLeft,
                         tr("%1, %2 waiting").arg(step, displaySeconds(secondsWaiting(latest))));
        return;
    }
    painter.drawText(line, Qt::AlignRight, step);
    const int room = line.width() - fontMetrics().horizontalAdvance(step) - kGap;
    painter.setPen(loadColour(device));
    const QString trouble = troubleText(*device.sample);
    painter.drawText(line, Qt::AlignLeft,
                     fontMetrics().elidedText(trouble.isEmpty() ? loadText(*device.sample) : trouble,
                                              Qt::ElideRight, room));
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

void DeviceBoard::paintTime(QPainter& painter, const QRectF& bar, const RankStats& stats) const
{
    const ColourScheme scheme = coloursOf(palette()).scheme;
    const TimeByCommonCause time = byCommonCause(stats.seconds);
    double x = bar.left();
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const double width = time[i] / m_mostSeconds * bar.width();
        painter.fillRect(QRectF(x, bar.top(), width, bar.height()), colourOf(CommonCause(i), scheme));
        x += width;
    }
}

void DeviceBoard::setCurrent(int rank)
{
    if (rank == m_current || rank >= count())
        return;
    m_current = rank;
    setAccessibleDescription(rank >= 0 ? describe(device(rank)) : QString());
    update();
    emit currentChanged(rank);
}

void DeviceBoard::mousePressEvent(QMouseEvent* event)
{
    setCurrent(rankAt(event->position().toPoint()));
}

void DeviceBoard::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const int rank = rankAt(event->position().toPoint()); rank >= 0)
        emit activated(rank);
}

void DeviceBoard::keyPressEvent(QKeyEvent* event)
{
    const int last = count() - 1;
    const auto go = [&](int to) { setCurrent(std::clamp(m_current < 0 ? 0 : to, 0, last)); };
    if (last < 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return go(m_current - 1);
    case Qt::Key_Right:
        return go(m_current + 1);
    case Qt::Key_Up:
        return go(m_current - columns(width()));
    case Qt::Key_Down:
        return go(m_current + columns(width()));
    case Qt::Key_Home:
        return setCurrent(0);
    case Qt::Key_End:
        return setCurrent(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            emit activated(m_current);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool DeviceBoard::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int rank = count() > 0 ? rankAt(help->pos()) : -1;
        QToolTip::showText(help->globalPos(), rank < 0 ? QString() : toolTipOf(describe(device(rank))), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace trainyard
