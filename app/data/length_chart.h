#pragma once

#include <cstdint>
#include <vector>

#include <QWidget>

namespace trainyard {

/// Histogram of a data set's row lengths: one column per sixteenth of the sequence length. Hovering or the
/// arrow keys show the values of a column.
class LengthChart : public QWidget {
    Q_OBJECT
public:
    explicit LengthChart(QWidget* parent = nullptr);

    /// Rows per equal length interval, shortest first; empty = unknown.
    void setLengths(const std::vector<std::uint64_t>& rows, int sequenceLength);

    QSize sizeHint() const override { return {480, 170}; }
    QSize minimumSizeHint() const override { return {240, 130}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Frame;
    Frame frame() const;
    void paintScale(QPainter& painter, const Frame& frame) const;
    void paintColumns(QPainter& painter, const Frame& frame) const;
    void setCurrent(int column);
    QString describe(int column) const;
    int longest(int column) const;

    std::vector<std::uint64_t> m_rows;
    std::uint64_t m_sum = 0;
    int m_sequenceLength = 0;
    int m_current = -1;
};

} // namespace trainyard
