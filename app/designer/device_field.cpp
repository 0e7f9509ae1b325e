#include "app/designer/device_field.h"

#include <algorithm>

#include <QCheckBox>
#include <QMenu>
#include <QWidgetAction>

namespace trainyard {

namespace {

constexpr int kMinRoom = 24; ///< for the text, before the first layout

} // namespace

DeviceField::DeviceField(QWidget* parent) : QToolButton(parent), m_menu(new QMenu(this))
{
    setPopupMode(QToolButton::InstantPopup);
    setMenu(m_menu);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    connect(m_menu, &QMenu::aboutToShow, this, &DeviceField::fill);
}

void DeviceField::show(const std::vector<GpuChoice>& choices, const QString& hint)
{
    m_choices = choices;
    m_hint = hint;
    QStringList names;
    for (const GpuChoice& choice : choices) {
        if (choice.isChosen)
            names << QString::fromStdString(choice.name);
    }
    const bool isWrong =
        std::ranges::any_of(choices, [](const GpuChoice& choice) { return !choice.isThere; });
    const QString text = names.isEmpty() ? tr("any") : names.join(QStringLiteral(", "));
    const int room = std::max(kMinRoom, width() - 2 * fontMetrics().averageCharWidth());
    setText(fontMetrics().elidedText(isWrong ? QStringLiteral("▲ ") + text : text, Qt::ElideRight, room));
    setAccessibleDescription(isWrong ? tr("%1, not all of them on this host").arg(text) : text);
}

void DeviceField::fill()
{
    m_menu->clear();
    connect(m_menu->addAction(tr("Any GPU")), &QAction::triggered, this, [this] { emit chosen({}); });
    m_menu->addSeparator();
    for (const GpuChoice& choice : m_choices) {
        // A check box of its own, so that the list stays open for the next one.
        auto* box = new QCheckBox(choice.text);
        box->setChecked(choice.isChosen);
        connect(box, &QCheckBox::toggled, this, [this, name = choice.name](bool isChosen) {
            const auto found = std::ranges::find(m_choices, name, &GpuChoice::name);
            if (found != m_choices.end())
                found->isChosen = isChosen;
            emit chosen(devicesWith(m_choices, name, isChosen));
        });
        auto* action = new QWidgetAction(m_menu);
        action->setDefaultWidget(box);
        m_menu->addAction(action);
    }
    if (m_choices.empty())
        m_menu->addAction(m_hint)->setEnabled(false);
}

} // namespace trainyard
