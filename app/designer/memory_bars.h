#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QWidget>

#include "app/designer/model/memory_groups.h"

namespace trainyard {

/// The planned memory per device as stacked bars, one per group of devices with the same use and capacity,
/// the fullest first. Categories are outlined and tinted, transient parts striped, free memory hatched up to
/// the capacity line; excess is drawn beyond it. The outline under the first bar is that of the design saved
/// for comparison. The values of the first bar are listed below.
class MemoryBars : public QWidget {
    Q_OBJECT
public:
    explicit MemoryBars(QWidget* parent = nullptr);

    /// `assumptions`: of the estimate, one sentence each.
    void setMemory(const GroupedMemory& memory, const ParallelLayout& layout,
                   const std::vector<std::string>& assumptions);
    /// The fullest group of the design saved for comparison; nullopt = no comparison.
    void setKept(const std::optional<MemoryGroup>& kept);
    QSize sizeHint() const override { return {480, neededHeight()}; }
    QSize minimumSizeHint() const override { return {320, neededHeight()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Row {
        QString label;
        MemoryGroup group;
    };
    /// A category in a bar.
    struct Part {
        MemoryCategory category;
        QRectF area;
        double transientFrom = 0; ///< x
    };
    std::vector<Part> partsOf(const MemoryGroup& group, const QRectF& bar) const;
    void paintRow(QPainter& painter, const Row& row, int top) const;
    void paintBar(QPainter& painter, const MemoryGroup& group, const QRectF& bar) const;
    void paintCapacity(QPainter& painter, const MemoryGroup& group, const QRectF& bar) const;
    void paintKept(QPainter& painter) const;
    void describe();
    int rowTop(std::size_t row) const;
    void paintLegend(QPainter& painter) const;
    int barsTop() const;
    int legendColumns() const;
    QRect legendCell(std::size_t entry) const;
    int neededHeight() const; ///< at the current width
    double bytesPerPixel() const;
    QString toolTipAt(int y) const;

    std::vector<Row> m_rows;
    std::optional<MemoryGroup> m_kept;
    QString m_more;                           ///< number of groups without a bar
    std::vector<MemoryCategory> m_categories; ///< present in any group
    QString m_assumptions;
};

} // namespace trainyard
