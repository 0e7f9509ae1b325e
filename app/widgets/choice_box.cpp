#include "app/widgets/choice_box.h"

#include <QWheelEvent>

namespace trainyard {

namespace {
constexpr int kShortest = 8; // characters
}

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kShortest);
}

void ChoiceBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

} // namespace trainyard
