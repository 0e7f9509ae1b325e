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

/// The picture of the cluster with what belongs to it: which groups its colours show, what the current device
/// is, the placement, and a button that gives every slot a rank where some are left free.
class ClusterPanel : public QFrame {
    Q_OBJECT
public:
    explicit ClusterPanel(SpecDocument& document, QWidget* parent = nullptr);

    /// Both of the document's specification.
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
