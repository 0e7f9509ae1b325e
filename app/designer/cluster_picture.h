#pragma once

#include <vector>

#include <QWidget>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The cluster as boxes: one per host, one cell per slot, the rank that will run there inside. Free slots are
/// outlined. Ranks fill the hosts in their order, as the launcher places them.
class ClusterPicture : public QWidget {
    Q_OBJECT
public:
    explicit ClusterPicture(QWidget* parent = nullptr);

    void setSpec(const RunSpec& spec);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Box {
        QString host;
        int slotCount;
        int firstRank;
        QRect frame;
        int cellsPerLine;
    };
    /// Boxes flow from left to right and wrap; the height that they need.
    int arrange(int width, std::vector<Box>& boxes) const;
    void paintBox(QPainter& painter, const Box& box) const;

    std::vector<NodeSpec> m_nodes;
    int m_worldSize = 1;
};

} // namespace trainyard
