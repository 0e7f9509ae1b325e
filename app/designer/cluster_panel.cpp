#include "app/designer/cluster_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/designer/cluster_picture.h"
#include "app/designer/placement_row.h"
#include "app/models/device_words.h"
#include "app/models/theme.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/segmented_control.h"

namespace trainyard {

ClusterPanel::ClusterPanel(SpecDocument& document, QWidget* parent)
    : QFrame(parent)
    , m_picture(new ClusterPicture)
    , m_axis(new SegmentedControl({{QStringLiteral("D"), tr("Colour by data-parallel group (D)")},
                                   {QStringLiteral("P"), tr("Colour by pipeline (P)")},
                                   {QStringLiteral("T"), tr("Colour by tensor-parallel group (T)")}}))
    , m_device(new ElidedLabel(nullptr))
    , m_groups(new ElidedLabel("small"))
    , m_placement(new PlacementRow(document))
{
    setRole(this, "panel");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kGap);
    column->addLayout(makeHead());
    column->addWidget(m_picture, 1);
    auto* lines = new QVBoxLayout;
    lines->setSpacing(0);
    lines->addWidget(m_device);
    lines->addWidget(m_groups);
    column->addLayout(lines);
    column->addWidget(m_placement);
    connect(m_axis, &SegmentedControl::chosen, this,
            [this](int index) { m_picture->setAxis(kGroupAxes[static_cast<std::size_t>(index)]); });
    connect(m_picture, &ClusterPicture::axisChanged, this, [this](GroupAxis axis) {
        m_axis->setCurrent(static_cast<int>(axis));
        describe();
    });
    connect(m_picture, &ClusterPicture::currentChanged, this, &ClusterPanel::describe);
}

QLayout* ClusterPanel::makeHead()
{
    auto* head = new QHBoxLayout;
    head->setSpacing(metrics::kGap);
    head->addWidget(makeLabel(tr("Cluster"), "heading"));
    head->addStretch(1);
    head->addWidget(makeLabel(tr("Colour by"), "muted"));
    head->addWidget(m_axis);
    return head;
}

void ClusterPanel::setCluster(const DeviceMap& map, const GroupedMemory& memory)
{
    m_picture->setCluster(map, memory);
    m_placement->setMap(map);
    describe();
}

void ClusterPanel::describe()
{
    const DeviceMap& map = m_picture->map();
    const int device = m_picture->current();
    if (device < 0) {
        m_device->setFullText(clusterWords(map, m_picture->memory()));
        m_groups->setFullText(tr("Same colour: %1").arg(axisWords(m_picture->axis())));
    } else {
        m_device->setFullText(deviceWords(map, m_picture->memory(), device));
        m_groups->setFullText(partnerWords(map, device));
    }
}

} // namespace trainyard
