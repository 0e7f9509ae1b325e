#pragma once

#include <QFrame>

#include "app/models/memory_groups.h"
#include "app/models/spec_document.h"

namespace trainyard {

class ClusterPicture;
class ElidedLabel;
class PlacementRow;
class SegmentedControl;

/// The picture of the cluster with what belongs to it: which groups its colours show, what the current device
/// is, and the placement.
class ClusterPanel : public QFrame {
    Q_OBJECT
public:
    explicit ClusterPanel(SpecDocument& document, QWidget* parent = nullptr);

    /// Both of the document's specification.
    void setCluster(const DeviceMap& map, const GroupedMemory& memory);

private:
    QLayout* makeHead();
    void describe();

    ClusterPicture* m_picture;
    SegmentedControl* m_axis;
    ElidedLabel* m_device;
    ElidedLabel* m_groups;
    PlacementRow* m_placement;
};

} // namespace trainyard
