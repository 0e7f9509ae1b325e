#include "app/designer/placement_row.h"

#include <algorithm>

#include "app/base/theme.h"
#include "app/designer/model/cluster_labels.h"
#include "app/designer/placement_letters.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"
#include "engine/planner/layout/rank_grid.h"

namespace trainyard {

namespace {

QString sageMakerName(const QString& letters)
{
    return letters == QLatin1String("DPT")   ? QStringLiteral("cluster")
           : letters == QLatin1String("TPD") ? QStringLiteral("spread")
                                             : letters;
}

GroupAxis axisOf(QChar letter)
{
    return *std::ranges::find(kPlacedAxes, letter, letterOf);
}

} // namespace

PlacementRow::PlacementRow(SpecDocument& document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_letters(new PlacementLetters)
    , m_spelling(new ElidedLabel("small"))
    , m_deepSpeed(new ElidedLabel("small"))
{
    auto* caption = makeLabel(tr("Placement"), "muted");
    caption->setToolTip(tr("Drag a letter to its new place, or move it with Alt and the arrow keys: the "
                           "right-most one varies fastest with the rank"));
    auto* row = rowLayout(this);
    row->addWidget(caption);
    row->addWidget(m_letters);
    row->addLayout(makeSpellings(), 1);
    connect(m_letters, &PlacementLetters::reordered, this, &PlacementRow::apply);
}

QLayout* PlacementRow::makeSpellings()
{
    auto* lines = columnLayout(nullptr, 0);
    lines->addWidget(m_spelling);
    lines->addWidget(m_deepSpeed);
    return lines;
}

void PlacementRow::setMap(const DeviceMap& map)
{
    const auto placement = placementLetters(map.layout().placement);
    const QString letters = placement.ok() ? QString::fromStdString(*placement) : QStringLiteral("DPT");
    std::array<QString, 3> hints;
    for (int position = 0; position < 3; ++position)
        hints[static_cast<std::size_t>(position)] =
            describePlacement(map, axisOf(letters[position]), position);
    m_letters->setLetters(letters);
    m_letters->setHints(hints);
    showSpellings(letters, map.layout().context);
    if (!placement.ok())
        m_spelling->setFullText(QString::fromStdString(placement.error().text()));
}

/// Shows the spellings of an order. They do not depend on the degrees, except that context is named if used.
void PlacementRow::showSpellings(const QString& letters, int context)
{
    ParallelLayout layout;
    layout.placement = letters.toStdString();
    layout.context = std::clamp(context, 1, 2);
    const RankGrid grid = RankGrid::create(layout).value();
    m_spelling->setFullText(tr("SageMaker %1 · Megatron %2")
                                .arg(sageMakerName(letters), QString::fromStdString(grid.megatronOrder())));
    m_deepSpeed->setFullText(tr("DeepSpeed %1").arg(QString::fromStdString(grid.deepSpeedOrder())));
}

void PlacementRow::apply(const QString& letters)
{
    m_document.editAtOnce(tr("Placement"), QStringLiteral("layout.placement"), [&](RunSpec& spec) {
        spec.layout.placement = sageMakerName(letters).toStdString();
    });
}

} // namespace trainyard
