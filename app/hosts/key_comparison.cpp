#include "app/hosts/key_comparison.h"

#include <QGridLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

QLabel* makeKey(const QString& keyType, const QString& fingerprint, const QString& where)
{
    auto* label = makeLabel(keyType + QLatin1Char('\n') + fingerprint + QLatin1Char('\n') + where, "mono");
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

KeyComparison::KeyComparison(const HostKeyChange& change, QWidget* parent) : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, metrics::kHalf, 0, metrics::kHalf);
    grid->setHorizontalSpacing(metrics::kPagePadding);
    grid->setVerticalSpacing(metrics::kHalf);
    grid->addWidget(makeLabel(tr("Old"), "heading"), 0, 0);
    grid->addWidget(makeLabel(tr("New"), "heading"), 0, 1);
    int row = 1;
    for (const HostKeyChange::Known& known : change.known)
        grid->addWidget(
            makeKey(known.keyType, known.fingerprint, tr("%1, line %2").arg(known.file).arg(known.line)),
            row++, 0);
    grid->addWidget(makeKey(change.keyType, change.fingerprint, tr("presented by %1").arg(change.address)), 1,
                    1, Qt::AlignTop);
    grid->setColumnStretch(2, 1);
}

} // namespace trainyard
