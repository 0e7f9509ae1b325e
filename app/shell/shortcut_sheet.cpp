#include "app/shell/shortcut_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

ShortcutSheet::ShortcutSheet(QWidget* window) : QFrame(window)
{
    setRole(this, "popup");
    setAccessibleName(tr("Keys"));
    setFocusPolicy(Qt::StrongFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPagePadding, metrics::kPanelPadding, metrics::kPagePadding,
                               metrics::kPanelPadding);
    column->addWidget(makeLabel(tr("Keys"), "heading"));
    hide();
}

void ShortcutSheet::open(const QList<QAction*>& actions)
{
    delete m_content;
    m_content = new QWidget;
    m_grid = new QGridLayout(m_content);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(3 * metrics::kGap);
    layout()->addWidget(m_content);
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty())
            addLine(action->shortcut().toString(QKeySequence::NativeText),
                    action->text().remove(QLatin1Char('&')));
    }
    addLine(tr("Space"), tr("Pause the live charts"));
    addLine(QStringLiteral("L"), tr("Logarithmic axis"));
    addLine(QStringLiteral("S"), tr("Smoothing"));
    addLine(QStringLiteral("O"), tr("Outliers"));
    addLine(tr("Arrows"), tr("Move between devices and points"));
    addLine(QStringLiteral("D P T"), tr("Colour the cluster by these groups"));
    addLine(QStringLiteral("+ - 0"), tr("Size of the cluster's picture"));
    addLine(tr("Alt+Arrows"), tr("Move a letter of the placement"));
    addLine(tr("Esc"), tr("Leave"));
    adjustSize();
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
    show();
    raise();
    setFocus();
}

void ShortcutSheet::addLine(const QString& keys, const QString& text)
{
    const int row = m_grid->rowCount();
    m_grid->addWidget(makeLabel(keys, "mono"), row, 0);
    m_grid->addWidget(makeLabel(text), row, 1);
}

void ShortcutSheet::keyPressEvent(QKeyEvent*)
{
    hide();
}

void ShortcutSheet::mousePressEvent(QMouseEvent*)
{
    hide();
}

} // namespace trainyard
