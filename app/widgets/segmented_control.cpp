#include "app/widgets/segmented_control.h"

#include <QButtonGroup>
#include <QSignalBlocker>
#include <QToolButton>

#include "app/widgets/roles.h"

namespace trainyard {

namespace {

const char* placeOf(qsizetype index, qsizetype count)
{
    return index == 0 ? "first" : index + 1 == count ? "last" : "middle";
}

} // namespace

SegmentedControl::SegmentedControl(const QList<Segment>& segments, QWidget* parent)
    : QWidget(parent), m_buttons(new QButtonGroup(this))
{
    auto* row = rowLayout(this, 0);
    for (qsizetype i = 0; i < segments.size(); ++i) {
        auto* button = new QToolButton;
        setRole(button, "segment");
        button->setProperty("place", placeOf(i, segments.size()));
        button->setText(segments[i].text);
        button->setToolTip(segments[i].name);
        button->setAccessibleName(segments[i].name);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::StrongFocus);
        m_buttons->addButton(button, static_cast<int>(i));
        row->addWidget(button);
    }
    m_buttons->button(0)->setChecked(true);
    connect(m_buttons, &QButtonGroup::idToggled, this, [this](int index, bool on) {
        if (on)
            emit chosen(index);
    });
}

int SegmentedControl::current() const
{
    return m_buttons->checkedId();
}

void SegmentedControl::setCurrent(int index)
{
    const QSignalBlocker blocker(m_buttons);
    m_buttons->button(index)->setChecked(true);
}

} // namespace trainyard
