#include "app/widgets/headed_panel.h"

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

QHBoxLayout* layOutWithHeader(QFrame& panel, QWidget* content)
{
    setRole(&panel, "panel");
    QHBoxLayout* header =
        rowLayout(nullptr, metrics::kGap,
                  {metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding, metrics::kGap});
    QVBoxLayout* column = columnLayout(&panel, 0, {1, 1, 1, metrics::kHalf});
    column->addLayout(header);
    column->addWidget(makeSeparator());
    column->addWidget(content, 1);
    return header;
}

} // namespace trainyard
