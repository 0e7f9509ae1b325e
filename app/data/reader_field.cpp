#include "app/data/reader_field.h"

#include <QCheckBox>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/hosts/model/host_entry.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

namespace {
constexpr int kWidestName = 200;
}

ReaderField::ReaderField(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 4, 0, 0);
    m_column->setSpacing(0);
}

void ReaderField::setHosts(const QStringList& hosts)
{
    if (hosts == m_hosts)
        return;
    const QStringList ticked = readers();
    qDeleteAll(m_boxes);
    m_boxes.clear();
    m_hosts = hosts;
    for (const QString& host : hosts) {
        const QString name = host == thisMachine() ? tr("This machine") : oneLine(host);
        auto* box = new QCheckBox(fontMetrics().elidedText(name, Qt::ElideMiddle, kWidestName));
        box->setToolTip(toolTipOf(name));
        box->setAccessibleName(name);
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // must not widen the form
        connect(box, &QCheckBox::clicked, this, &ReaderField::edited);
        m_column->addWidget(box);
        m_boxes.append(box);
    }
    reachAfter(*this, {this});
    if (!m_boxes.isEmpty())
        setFocusProxy(m_boxes.first());
    setReaders(ticked);
}

void ReaderField::setReaders(const QStringList& readers)
{
    for (qsizetype i = 0; i < m_boxes.size(); ++i)
        m_boxes[i]->setChecked(readers.contains(m_hosts[i]));
}

QStringList ReaderField::readers() const
{
    QStringList ticked;
    for (qsizetype i = 0; i < m_boxes.size(); ++i) {
        if (m_boxes[i]->isChecked())
            ticked << m_hosts[i];
    }
    return ticked;
}

} // namespace trainyard
