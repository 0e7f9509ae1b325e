#include "app/monitor/rank_times.h"

#include <algorithm>
#include <numeric>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {

constexpr int kRankWidth = 72;
constexpr int kHostWidth = 136;
constexpr int kNumberWidth = 96;
constexpr int kMarkWidth = 88;
constexpr int kHostsFrom = 720; ///< pixels of width from which on hosts are named

constexpr auto kWork = std::size_t(CommonCause::Compute);

double sum(const TimeByCommonCause& time)
{
    return std::accumulate(time.begin(), time.end(), 0.0);
}

} // namespace

RankTimes::RankTimes(QWidget* parent) : QAbstractScrollArea(parent)
{
    setAccessibleName(tr("Step time of every rank"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setAutoFillBackground(false);
    verticalScrollBar()->setSingleStep(kRowHeight);
}

void RankTimes::show(const std::vector<RankSummary>& ranks, const QStringList& hosts)
{
    m_times.clear();
    for (const RankSummary& rank : ranks)
        m_times.push_back(byCommonCause(rank.usual));
    m_hosts = hosts;
    m_longest = 1e-9;
    for (const TimeByCommonCause& time : m_times)
        m_longest = std::max(m_longest, sum(time));
    const auto [least, most] =
        std::ranges::minmax_element(m_times, {}, [](const TimeByCommonCause& time) { return time[kWork]; });
    m_fastest = m_times.empty() ? -1 : int(least - m_times.begin());
    m_slowest = m_times.empty() ? -1 : int(most - m_times.begin());
    if (m_current >= int(m_times.size()))
        m_current = -1;
    sort();
    updateScrollBar();
    viewport()->update();
}

void RankTimes::setSlowestFirst(bool slowestFirst)
{
    m_slowestFirst = slowestFirst;
    sort();
    viewport()->update();
}

void RankTimes::sort()
{
    m_order.resize(m_times.size());
    std::iota(m_order.begin(), m_order.end(), 0);
    if (m_slowestFirst)
        std::ranges::stable_sort(m_order, std::greater(), [this](int rank) { return computeOf(rank); });
}

double RankTimes::computeOf(int rank) const
{
    return m_times[std::size_t(rank)][kWork];
}

QSize RankTimes::sizeHint() const
{
    return {640, std::clamp(int(m_times.size()), 3, 12) * kRowHeight};
}

void RankTimes::updateScrollBar()
{
    const int all = int(m_times.size()) * kRowHeight;
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
}

int RankTimes::rowAt(const QPoint& position) const
{
    const int row = (position.y() + verticalScrollBar()->value()) / kRowHeight;
    return position.y() >= 0 && row < int(m_order.size()) ? row : -1;
}

void RankTimes::setCurrentRow(int row)
{
    if (row < 0 || row >= int(m_order.size()))
        return;
    m_current = m_order[std::size_t(row)];
    setAccessibleDescription(words(m_current));
    const int top = row * kRowHeight;
    QScrollBar* bar = verticalScrollBar();
    bar->setValue(std::clamp(bar->value(), top + kRowHeight - viewport()->height(), top));
    viewport()->update();
}

QString RankTimes::words(int rank) const
{
    QStringList parts{m_hosts.value(rank).isEmpty() ? tr("rank %1").arg(rank)
                                                    : tr("rank %1 on %2").arg(rank).arg(m_hosts[rank])};
    for (std::size_t cause = 0; cause < kCommonCauses; ++cause) {
        const double seconds = m_times[std::size_t(rank)][cause];
        if (seconds > 0)
            parts << toQString(nameOf(CommonCause(cause))) + QLatin1Char(' ') + displaySeconds(seconds);
    }
    if (rank == m_slowest)
        parts << tr("computes longest");
    if (rank == m_fastest)
        parts << tr("computes shortest");
    return parts.join(QStringLiteral(", "));
}

void RankTimes::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const int offset = verticalScrollBar()->value();
    const int first = std::max(0, (event->rect().top() + offset) / kRowHeight);
    const int last = std::min(int(m_order.size()) - 1, (event->rect().bottom() + offset) / kRowHeight);
    for (int row = first; row <= last; ++row)
        paintRow(painter, row, {0, row * kRowHeight - offset, viewport()->width(), kRowHeight});
}

void RankTimes::paintRow(QPainter& painter, int row, const QRect& box) const
{
    const ThemeColours& colours = coloursOf(palette());
    const int rank = m_order[std::size_t(row)];
    if (rank == m_current) {
        painter.setPen(hasFocus() ? QPen(colours.accent) : QPen(Qt::NoPen));
        painter.setBrush(colours.accentTint);
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    const bool namesHosts = box.width() >= kHostsFrom && !m_hosts.isEmpty();
    QRect text = box.adjusted(metrics::kGap, 0, 0, 0);
    painter.setPen(colours.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tr("rank %1").arg(rank));
    int left = text.left() + kRankWidth;
    if (namesHosts) {
        painter.setPen(colours.muted);
        const QRect host(left, box.top(), kHostWidth - metrics::kGap, box.height());
        painter.drawText(host, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(m_hosts.value(rank), Qt::ElideMiddle, host.width()));
        left += kHostWidth;
    }
    const QRect mark(box.right() - kMarkWidth, box.top(), kMarkWidth, box.height());
    const QRect number(mark.left() - kNumberWidth, box.top(), kNumberWidth - metrics::kGap, box.height());
    painter.setPen(colours.text);
    painter.drawText(number, Qt::AlignRight | Qt::AlignVCenter, displaySeconds(computeOf(rank)));
    if (m_slowest != m_fastest && (rank == m_slowest || rank == m_fastest)) {
        painter.setPen(rank == m_slowest ? colours.warningText : colours.goodText);
        painter.drawText(mark, Qt::AlignLeft | Qt::AlignVCenter,
                         rank == m_slowest ? tr("▲ slowest") : tr("▼ fastest"));
    }
    paintBar(painter, rank,
             QRectF(left, box.top() + 6, number.left() - left - metrics::kGap, kRowHeight - 12));
}

void RankTimes::paintBar(QPainter& painter, int rank, const QRectF& bar) const
{
    const ThemeColours& colours = coloursOf(palette());
    painter.fillRect(bar, colours.raised);
    double x = bar.left();
    for (std::size_t cause = 0; cause < kCommonCauses; ++cause) {
        const double width = m_times[std::size_t(rank)][cause] / m_longest * bar.width();
        painter.fillRect(QRectF(x, bar.top(), width, bar.height()),
                         colourOf(CommonCause(cause), colours.scheme));
        x += width;
    }
}

void RankTimes::resizeEvent(QResizeEvent*)
{
    updateScrollBar();
}

void RankTimes::mousePressEvent(QMouseEvent* event)
{
    setCurrentRow(rowAt(event->position().toPoint()));
}

void RankTimes::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position().toPoint());
    if (row >= 0)
        emit activated(m_order[std::size_t(row)]);
}

void RankTimes::keyPressEvent(QKeyEvent* event)
{
    const auto at = std::ranges::find(m_order, m_current);
    const int row = at == m_order.end() ? -1 : int(at - m_order.begin());
    const int last = int(m_order.size()) - 1;
    const int page = std::max(1, viewport()->height() / kRowHeight);
    switch (event->key()) {
    case Qt::Key_PageUp:
        return setCurrentRow(std::max(0, row - page));
    case Qt::Key_PageDown:
        return setCurrentRow(std::min(last, row + page));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            emit activated(m_current);
        return;
    default:
        break;
    }
    const auto walk = walkOf(*event, row < 0 ? std::nullopt : std::optional(row), last + 1);
    if (!walk)
        return QAbstractScrollArea::keyPressEvent(event);
    if (walk->to)
        return setCurrentRow(*walk->to);
    m_current = -1;
    viewport()->update();
}

bool RankTimes::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos());
    QToolTip::showText(help->globalPos(), row < 0 ? QString() : toolTipOf(words(m_order[std::size_t(row)])),
                       this);
    return true;
}

} // namespace trainyard
