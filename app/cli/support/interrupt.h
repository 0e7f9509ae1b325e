#pragma once

#include <QObject>
#include <QSocketNotifier>

namespace trainyard {

/// Turns Ctrl+C and SIGTERM into a signal of the event loop for as long as it lives. One at a time.
class Interrupt : public QObject {
    Q_OBJECT

public:
    explicit Interrupt(QObject* parent = nullptr);
    ~Interrupt() override;

signals:
    void requested();

private:
    int m_descriptor = -1;
    QSocketNotifier* m_notifier = nullptr;
};

} // namespace trainyard
