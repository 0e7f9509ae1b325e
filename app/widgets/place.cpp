#include "app/widgets/place.h"

namespace trainyard {

Place::Place(QString title, QString icon, QWidget* parent)
    : QWidget(parent), m_title(std::move(title)), m_icon(std::move(icon))
{
    setAccessibleName(m_title);
}

} // namespace trainyard
