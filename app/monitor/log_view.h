#pragma once

#include <vector>

#include <QAbstractScrollArea>
#include <QFont>

#include "app/monitor/model/rank_logs.h"

namespace trainyard {

/// Shows the lines of one log, or of several merged by time with the rank of each line. Formats and paints
/// visible lines only, so any number of lines is fine. Arrow keys, Page Up and Down, Home and End move; Shift
/// selects, Ctrl+C copies; dragging selects too.
class LogView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);

    const RankLogs& lines() const { return m_lines; }
    /// Starts with empty logs of these ranks.
    void setRanks(const std::vector<int>& ranks);
    /// Keeps the end in view with `follow`.
    void append(int rank, const QByteArray& bytes, bool follow);
    /// Sets the text shown while there are no lines: why the log cannot be read.
    void setEmptyText(const QString& text);
    /// Shows only lines of at least this level.
    void setLeastLevel(LogLevel level);
    /// Highlights this text in every line; empty = none.
    void setNeedle(const QString& needle);
    /// Moves to the next (+1) or previous (-1) match and wraps around. Does nothing without a match.
    void goToMatch(int direction);
    qsizetype matchCount() const { return qsizetype(m_matches.size()); }
    /// Returns the number of the match on the current line, from 1; 0 = none.
    qsizetype currentMatch() const;
    /// Selects the last line written at or before that time and scrolls to it.
    void goToTime(qint64 timeMs);
    int shownCount() const;
    void scrollToEnd();

signals:
    /// Emitted on changes by the user only, by keys or mouse.
    void currentChanged(int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    int lineHeight() const;
    int rankWidth() const; ///< of the rank column; 0 for a single log
    int textLeft() const;
    int rowOf(int line) const; ///< row of the line, or of the next shown one
    int lineOf(int row) const;
    int rowAt(const QPoint& position) const;
    void filter(int from);
    void search(int from);
    void updateScrollBars();
    void walk(int row, bool selects);
    void setCurrent(int line, bool selects);
    void showRow(int row);
    QString selectedText() const;
    QString spokenLine(int line) const;
    void paintRow(QPainter& painter, int row, const QString& text, const QRect& box) const;
    void paintRank(QPainter& painter, int line, const QRect& box) const;
    void paintMatches(QPainter& painter, const QString& text, const QRect& box) const;

    QFont m_font; ///< separate, because the style sheet sets the widget's size
    RankLogs m_lines;
    int m_lastRank = 0; ///< highest rank, for the column's width
    LogLevel m_least = LogLevel::Info;
    std::vector<int> m_shown; ///< shown lines; unused while all are shown
    QString m_emptyText;
    QString m_needle;
    std::vector<int> m_matches; ///< shown lines that match
    int m_current = -1;
    int m_anchor = -1; ///< other end of the selection
    int m_widest = 0;  ///< widest line painted so far, in pixels
};

} // namespace trainyard
