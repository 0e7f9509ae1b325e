#pragma once

#include <QFrame>

#include "app/designer/model/memory_groups.h"
#include "app/designer/model/spec_document.h"

class QPushButton;

namespace trainyard {

class ClusterPicture;
class ElidedLabel;
class PlacementRow;
class SegmentedControl;

/// The picture of the cluster with its controls: colouring by group, a description of the current device,
/// the placement, and a button to use all free slots.
class ClusterPanel : public QFrame {
    Q_OBJECT
public:
    explicit ClusterPanel(SpecDocument& document, QWidget* parent = nullptr);

    /// Shows these; both must be of the document's specification.
    void setCluster(const DeviceMap& map, const GroupedMemory& memory);

private:
    QLayout* makeHead();
    void describe();
    void offerFreeSlots();
    void useAllSlots();

    SpecDocument& m_document;
    ClusterPicture* m_picture;
    SegmentedControl* m_axis;
    ElidedLabel* m_device;
    ElidedLabel* m_groups;
    QPushButton* m_useAll;
    PlacementRow* m_placement;
};

} // namespace trainyard
