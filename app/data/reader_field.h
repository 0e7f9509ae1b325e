#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QCheckBox;
class QVBoxLayout;

namespace trainyard {

/// Hosts to tick: those that read the parts of a dump together. None ticked = the host of the data set alone.
class ReaderField : public QWidget {
    Q_OBJECT
public:
    explicit ReaderField(QWidget* parent = nullptr);

    /// What is ticked stays ticked where it is still there.
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
