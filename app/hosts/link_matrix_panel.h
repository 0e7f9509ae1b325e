#pragma once

#include <QFrame>

#include "remote/preflight/preflight.h"

class QLabel;

namespace trainyard {

class LinkMatrixModel;
class SegmentedControl;
class TableView;

/// The links between the hosts of the last cluster check as a heat map, coloured by latency or bandwidth.
/// Hidden until a check has tested links. The arrow keys move between cells.
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
    SegmentedControl* m_metric;
    TableView* m_table;
};

} // namespace trainyard
