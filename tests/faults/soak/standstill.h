#pragma once

#include <QList>

namespace trainyard::soak {

/// Processes that do nothing as long as this object lives.
class Standstill {
public:
    /// Returns when every thread of them stands still. Those that are stopped already stay so at the end.
    explicit Standstill(const QList<qint64>& processes);
    ~Standstill();
    Standstill(const Standstill&) = delete;
    Standstill& operator=(const Standstill&) = delete;

private:
    QList<qint64> m_stopped; ///< by this object
};

} // namespace trainyard::soak
