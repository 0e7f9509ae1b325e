#pragma once

#include <QFrame>

#include "remote/preflight/preflight.h"

class QLabel;

namespace trainyard {

class LinkMatrixModel;
class SegmentedControl;
class TableView;

/// The links between the hosts of the last cluster check as a heat map by pair, coloured by latency or by
/// bandwidth. Hidden until one has tried any. Arrow keys walk from cell to cell.
class LinkMatrixPanel : public QFrame {
    Q_OBJECT
public:
    explicit LinkMatrixPanel(QWidget* parent = nullptr);

    void showReport(const PreflightReport& report);

private:
    void colourBy(int segment);
    void fitHeight();

    LinkMatrixModel* m_links;
    QLabel* m_span;
    SegmentedControl* m_figure;
    TableView* m_table;
};

} // namespace trainyard
