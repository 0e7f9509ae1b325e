#include "app/monitor/log_view.h"

#include <algorithm>

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include "app/base/theme.h"

namespace trainyard {

namespace {

constexpr int kFontPixels = 12;
constexpr int kGutter = 24;         ///< for the shape of a warning or an error
constexpr int kRankMark = 4;        ///< width of the mark in the colour of a rank
constexpr int kMaxCopied = 100'000; ///< lines

QChar shapeOf(LogLevel level)
{
    return level == LogLevel::Error ? u'✕' : u'▲';
}

} // namespace

LogView::LogView(QWidget* parent)
    : QAbstractScrollArea(parent), m_font(QFontDatabase::systemFont(QFontDatabase::FixedFont))
{
    m_font.setPixelSize(kFontPixels);
    viewport()->setCursor(Qt::IBeamCursor);
    setAccessibleName(tr("Log"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
}

void LogView::setRanks(const std::vector<int>& ranks)
{
    m_lines.setRanks(ranks);
    m_lastRank = ranks.back();
    m_shown.clear();
    m_matches.clear();
    m_current = m_anchor = -1;
    m_widest = 0;
    updateScrollBars();
    viewport()->update();
}

void LogView::append(int rank, const QByteArray& bytes, bool follow)
{
    const RankLogs::Place current = m_lines.placeOf(m_current);
    const RankLogs::Place anchor = m_lines.placeOf(m_anchor);
    const int from = m_lines.append(rank, bytes);
    m_current = m_lines.lineOf(current);
    m_anchor = m_current < 0 ? -1 : m_lines.lineOf(anchor);
    filter(from);
    search(from);
    updateScrollBars();
    if (follow)
        scrollToEnd();
    viewport()->update();
}

void LogView::setEmptyText(const QString& text)
{
    if (text == m_emptyText)
        return;
    m_emptyText = text;
    viewport()->update();
}

void LogView::setLeastLevel(LogLevel level)
{
    m_least = level;
    filter(0);
    search(0);
    updateScrollBars();
    if (m_current >= 0)
        showRow(rowOf(m_current));
    viewport()->update();
}

void LogView::setNeedle(const QString& needle)
{
    m_needle = needle;
    search(0);
    viewport()->update();
}

/// Updates the shown lines from `from` on, which are new or changed.
void LogView::filter(int from)
{
    if (m_least == LogLevel::Info) {
        m_shown.clear();
        return;
    }
    m_shown.erase(std::ranges::lower_bound(m_shown, from), m_shown.end());
    const std::vector<int> more = m_lines.linesOf(m_least, from);
    m_shown.insert(m_shown.end(), more.begin(), more.end());
}

void LogView::search(int from)
{
    m_matches.erase(std::ranges::lower_bound(m_matches, from), m_matches.end());
    for (const int line : m_lines.linesWith(m_needle.toStdString(), from)) {
        if (m_lines.level(line) >= m_least)
            m_matches.push_back(line);
    }
}

void LogView::goToMatch(int direction)
{
    if (m_matches.empty())
        return;
    auto at = direction > 0 ? std::ranges::upper_bound(m_matches, m_current)
                            : std::ranges::lower_bound(m_matches, m_current);
    if (direction > 0)
        at = at == m_matches.end() ? m_matches.begin() : at;
    else
        at = (at == m_matches.begin() ? m_matches.end() : at) - 1;
    setCurrent(*at, false);
}

qsizetype LogView::currentMatch() const
{
    const auto at = std::ranges::lower_bound(m_matches, m_current);
    return at != m_matches.end() && *at == m_current ? at - m_matches.begin() + 1 : 0;
}

void LogView::goToTime(qint64 timeMs)
{
    const int line = m_lines.lineAt(timeMs);
    if (line >= 0 && line != m_current)
        setCurrent(lineOf(std::min(rowOf(line), shownCount() - 1)), false);
}

int LogView::shownCount() const
{
    return m_least == LogLevel::Info ? m_lines.size() : int(m_shown.size());
}

int LogView::rowOf(int line) const
{
    return m_least == LogLevel::Info ? line : int(std::ranges::lower_bound(m_shown, line) - m_shown.begin());
}

int LogView::lineOf(int row) const
{
    if (row < 0 || row >= shownCount())
        return -1;
    return m_least == LogLevel::Info ? row : m_shown[std::size_t(row)];
}

int LogView::lineHeight() const
{
    return QFontMetrics(m_font).height() + 2;
}

int LogView::rankWidth() const
{
    if (!m_lines.isMerged())
        return 0;
    const int digits = QFontMetrics(m_font).horizontalAdvance(QString::number(m_lastRank));
    return kRankMark + metrics::kHalf + digits + metrics::kGap;
}

int LogView::textLeft() const
{
    return kGutter + rankWidth();
}

int LogView::rowAt(const QPoint& position) const
{
    const int row = verticalScrollBar()->value() + position.y() / lineHeight();
    return std::clamp(row, 0, std::max(0, shownCount() - 1));
}

void LogView::scrollToEnd()
{
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void LogView::showRow(int row)
{
    QScrollBar* bar = verticalScrollBar();
    const int rows = std::max(1, viewport()->height() / lineHeight());
    bar->setValue(std::clamp(bar->value(), row - rows + 1, row));
}

void LogView::updateScrollBars()
{
    const int rows = viewport()->height() / lineHeight();
    verticalScrollBar()->setRange(0, std::max(0, shownCount() - rows));
    verticalScrollBar()->setPageStep(rows);
    horizontalScrollBar()->setRange(0,
                                    std::max(0, m_widest + textLeft() + metrics::kGap - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(8 * kFontPixels);
}

void LogView::setCurrent(int line, bool selects)
{
    if (line < 0)
        return;
    m_current = line;
    if (!selects)
        m_anchor = line;
    setAccessibleDescription(spokenLine(line));
    showRow(rowOf(line));
    viewport()->update();
}

QString LogView::spokenLine(int line) const
{
    return m_lines.isMerged() ? tr("rank %1: %2").arg(m_lines.rankOf(line)).arg(m_lines.text(line))
                              : m_lines.text(line);
}

void LogView::walk(int row, bool selects)
{
    setCurrent(lineOf(std::clamp(row, 0, std::max(0, shownCount() - 1))), selects);
    if (m_current >= 0)
        emit currentChanged(m_current);
}

QString LogView::selectedText() const
{
    if (m_current < 0)
        return {};
    const int first = rowOf(std::min(m_current, m_anchor));
    const int last = std::min({rowOf(std::max(m_current, m_anchor)), shownCount() - 1, first + kMaxCopied});
    QStringList lines;
    for (int row = first; row <= last; ++row)
        lines.append(spokenLine(lineOf(row)));
    return lines.join(QLatin1Char('\n'));
}

void LogView::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setFont(m_font);
    painter.fillRect(event->rect(), coloursOf(palette()).panel);
    const int height = lineHeight();
    const int top = verticalScrollBar()->value();
    const int last = std::min(shownCount() - 1, top + event->rect().bottom() / height);
    const int widest = m_widest;
    for (int row = top + event->rect().top() / height; row <= last; ++row) {
        const QString text = m_lines.text(lineOf(row));
        m_widest = std::max(m_widest, QFontMetrics(m_font).horizontalAdvance(text));
        paintRow(painter, row, text, {0, (row - top) * height, viewport()->width(), height});
    }
    if (shownCount() == 0) {
        painter.setFont(font());
        painter.setPen(coloursOf(palette()).muted);
        painter.drawText(viewport()->rect().adjusted(metrics::kGap, 0, -metrics::kGap, 0),
                         Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
    if (m_widest > widest)
        QMetaObject::invokeMethod(this, &LogView::updateScrollBars, Qt::QueuedConnection);
    if (hasFocus()) {
        painter.setPen(coloursOf(palette()).accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void LogView::paintRow(QPainter& painter, int row, const QString& text, const QRect& box) const
{
    const ThemeColours& colours = coloursOf(palette());
    const int line = lineOf(row);
    const LogLevel level = m_lines.level(line);
    const bool chosen = line >= std::min(m_current, m_anchor) && line <= std::max(m_current, m_anchor);
    if (chosen && m_current >= 0)
        painter.fillRect(box, colours.accentTint);
    const QColor tone = level == LogLevel::Error     ? colours.badText
                        : level == LogLevel::Warning ? colours.warningText
                                                     : colours.text;
    painter.setPen(tone);
    if (level != LogLevel::Info)
        painter.drawText(QRect(box.left(), box.top(), kGutter, box.height()), Qt::AlignCenter,
                         QString(shapeOf(level)));
    if (m_lines.isMerged())
        paintRank(painter, line, box);
    painter.save();
    painter.setClipRect(box.adjusted(textLeft(), 0, 0, 0));
    const QRect place = box.adjusted(textLeft() - horizontalScrollBar()->value(), 0, m_widest, 0);
    if (!m_needle.isEmpty())
        paintMatches(painter, text, place);
    painter.setPen(tone);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
    painter.restore();
}

/// Paints a mark in the rank's colour, and its number.
void LogView::paintRank(QPainter& painter, int line, const QRect& box) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QColor mark = seriesStyle(colours.scheme, int(m_lines.indexOf(line))).colour;
    painter.fillRect(box.left() + kGutter, box.top(), kRankMark, box.height(), mark);
    painter.setPen(colours.muted);
    const int left = box.left() + kGutter + kRankMark + metrics::kHalf;
    painter.drawText(QRect(left, box.top(), box.left() + textLeft() - metrics::kGap - left, box.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(m_lines.rankOf(line)));
}

void LogView::paintMatches(QPainter& painter, const QString& text, const QRect& box) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QFontMetrics metrics(m_font);
    for (qsizetype at = text.indexOf(m_needle, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(m_needle, at + m_needle.size(), Qt::CaseInsensitive)) {
        const int left = metrics.horizontalAdvance(text, int(at));
        const int right = metrics.horizontalAdvance(text, int(at + m_needle.size()));
        const QRect mark(box.left() + left, box.top(), right - left, box.height());
        painter.fillRect(mark, colours.warningTint);
        painter.setPen(colours.warning);
        painter.drawRect(mark.adjusted(0, 0, -1, -1));
    }
}

void LogView::resizeEvent(QResizeEvent*)
{
    updateScrollBars();
}

void LogView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateScrollBars();
    QAbstractScrollArea::changeEvent(event);
}

void LogView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        return QGuiApplication::clipboard()->setText(selectedText());
    const bool selects = event->modifiers() & Qt::ShiftModifier;
    const int row = m_current < 0 ? verticalScrollBar()->value() : rowOf(m_current);
    const int page = std::max(1, viewport()->height() / lineHeight() - 1);
    switch (event->key()) {
    case Qt::Key_Up:
        return walk(row - 1, selects);
    case Qt::Key_Down:
        return walk(row + 1, selects);
    case Qt::Key_PageUp:
        return walk(row - page, selects);
    case Qt::Key_PageDown:
        return walk(row + page, selects);
    case Qt::Key_Home:
        return walk(0, selects);
    case Qt::Key_End:
        return walk(shownCount() - 1, selects);
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void LogView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        walk(rowAt(event->position().toPoint()), event->modifiers() & Qt::ShiftModifier);
}

void LogView::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton)
        walk(rowAt(event->position().toPoint()), true);
}

} // namespace trainyard
