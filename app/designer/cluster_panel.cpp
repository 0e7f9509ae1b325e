#include "app/designer/cluster_panel.h"

#include <algorithm>

#include <QHBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/designer/cluster_picture.h"
#include "app/designer/model/batch_equation.h"
#include "app/designer/model/cluster_labels.h"
#include "app/designer/placement_row.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "app/widgets/segmented_control.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

/// Returns the number of ranks of one copy of the model; 0 for invalid degrees, which may be typed.
std::int64_t ranksOfCopy(const ParallelLayout& layout)
{
    std::int64_t ranks = 1;
    for (const int degree : {layout.context, layout.tensor, layout.pipeline}) {
        if (degree < 1 || degree > kMaxRanks)
            return 0;
        ranks *= degree; // at most kMaxRanks cubed, which fits into 64 bits
    }
    return ranks;
}

/// Returns the number of model copies that fit into the cluster's slots.
int copiesOn(const RunSpec& spec)
{
    const std::int64_t ranks = ranksOfCopy(spec.layout);
    const int slotCount = std::min(spec.cluster.totalSlots(), kMaxRanks);
    return ranks > 0 ? static_cast<int>(slotCount / ranks) : 0;
}

} // namespace

ClusterPanel::ClusterPanel(SpecDocument& document, QWidget* parent)
    : QFrame(parent)
    , m_document(document)
    , m_picture(new ClusterPicture)
    , m_axis(new SegmentedControl({{QStringLiteral("D"), tr("Colour by data-parallel group (D)")},
                                   {QStringLiteral("P"), tr("Colour by pipeline (P)")},
                                   {QStringLiteral("T"), tr("Colour by tensor-parallel group (T)")},
                                   {QStringLiteral("E"), tr("Colour by ranks that share experts (E)")}}))
    , m_device(new ElidedLabel(nullptr))
    , m_groups(new ElidedLabel("small"))
    , m_useAll(makeButton({}, "link"))
    , m_placement(new PlacementRow(document))
{
    setRole(this, "panel");
    auto* column = columnLayout(this, metrics::kGap, metrics::kPanelMargins);
    column->addLayout(makeHead());
    column->addWidget(m_picture, 1);
    auto* firstLine = new QHBoxLayout;
    firstLine->addWidget(m_device, 1);
    firstLine->addWidget(m_useAll);
    auto* words = columnLayout(nullptr, 0);
    words->addLayout(firstLine);
    words->addWidget(m_groups);
    column->addLayout(words);
    column->addWidget(m_placement);
    m_useAll->setToolTip(tr("Use all slots for data parallelism; the global batch grows accordingly"));
    connect(m_useAll, &QPushButton::clicked, this, &ClusterPanel::useAllSlots);
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
    auto* head = rowLayout();
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
    offerFreeSlots();
}

void ClusterPanel::offerFreeSlots()
{
    const RunSpec& spec = m_document.spec();
    const int copies = copiesOn(spec);
    m_useAll->setVisible(copies > spec.layout.data);
    m_useAll->setText(tr("Use %1 slots").arg(displayCount(copies * ranksOfCopy(spec.layout))));
    m_useAll->setAccessibleName(m_useAll->text());
}

void ClusterPanel::useAllSlots()
{
    m_document.editAtOnce(tr("Use all slots"), QStringLiteral("layout.data"),
                          [](RunSpec& spec) { setBatchTerm(spec, BatchTerm::Data, copiesOn(spec)); });
}

void ClusterPanel::describe()
{
    const DeviceMap& map = m_picture->map();
    const int device = m_picture->current();
    if (device < 0) {
        m_device->setFullText(describeCluster(map, m_picture->memory()));
        m_groups->setFullText(tr("Same colour: %1").arg(axisLabel(m_picture->axis())));
    } else {
        m_device->setFullText(describeDevice(map, m_picture->memory(), device));
        m_groups->setFullText(describePartners(map, device));
    }
}

} // namespace trainyard
