#include "app/designer/fold_section.h"

#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

FoldSection addFoldSection(QVBoxLayout* column, const QString& title, bool folded)
{
    auto* heading = new QToolButton;
    setRole(heading, "fold");
    heading->setText(title);
    heading->setAccessibleName(title);
    heading->setCheckable(true);
    heading->setChecked(!folded);
    heading->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    heading->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto* body = new QWidget;
    auto* rows = columnLayout(body, metrics::kHalf, {0, 0, 0, metrics::kGap});
    body->setVisible(!folded);
    QObject::connect(heading, &QToolButton::toggled, body, [heading, body](bool open) {
        body->setVisible(open);
        heading->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    });
    column->addWidget(heading);
    column->addWidget(body);
    return {heading, rows};
}

} // namespace trainyard
