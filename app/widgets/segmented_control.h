#pragma once

#include <QList>
#include <QString>
#include <QWidget>

class QButtonGroup;

namespace trainyard {

/// A few exclusive choices side by side. One stop of the Tab key; the arrow keys choose.
class SegmentedControl : public QWidget {
    Q_OBJECT
public:
    struct Segment {
        QString text;
        QString name; ///< for tool tip and screen readers
    };
    explicit SegmentedControl(const QList<Segment>& segments, QWidget* parent = nullptr);

    int current() const;
    /// Without chosen().
    void setCurrent(int index);

signals:
    /// By the user.
    void chosen(int index);

private:
    QButtonGroup* m_buttons;
};

} // namespace trainyard
