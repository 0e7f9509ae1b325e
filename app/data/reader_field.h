#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QCheckBox;
class QVBoxLayout;

namespace trainyard {

/// Check boxes for the hosts that read the parts of a dump together. None ticked = only the data set's host.
class ReaderField : public QWidget {
    Q_OBJECT
public:
    explicit ReaderField(QWidget* parent = nullptr);

    /// Hosts that are still listed stay ticked.
    void setHosts(const QStringList& hosts);
    void setReaders(const QStringList& readers);
    QStringList readers() const;

signals:
    void edited();

private:
    QVBoxLayout* m_column;
    QList<QCheckBox*> m_boxes;
    QStringList m_hosts;
};

} // namespace trainyard
