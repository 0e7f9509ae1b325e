#pragma once

#include <vector>

#include <QWidget>

#include "app/models/device_memory.h"
#include "app/models/rank_table.h"

namespace trainyard {

/// All ranks as cells: memory by category at the peak, planned below measured, and where the time of the
/// newest step went. As many cells in a line as fit. The arrow keys and the mouse choose one.
class DeviceBoard : public QWidget {
    Q_OBJECT

public:
    explicit DeviceBoard(QWidget* parent = nullptr);

    void show(const QList<DeviceMemory>& memory, const std::vector<RankSummary>& ranks);
    int current() const { return m_current; }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

signals:
    /// -1 = none.
    void currentChanged(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    int columns(int width) const;
    QRect cellOf(int rank) const;
    int rankAt(const QPoint& position) const;
    void paintCell(QPainter& painter, int rank) const;
    void paintMemory(QPainter& painter, const QRectF& bar, const DeviceMemory& memory) const;
    void paintPlanned(QPainter& painter, const QRectF& bar, const MemoryByCategory& planned) const;
    void paintTime(QPainter& painter, const QRectF& bar, const RankFigures& figures) const;
    void setCurrent(int rank);

    QList<DeviceMemory> m_memory;
    std::vector<RankSummary> m_ranks;
    double m_mostBytes = 1;   ///< length of a full memory bar
    double m_mostSeconds = 1; ///< length of a full time bar
    int m_current = -1;
};

} // namespace trainyard
