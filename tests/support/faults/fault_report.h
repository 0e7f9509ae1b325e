#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QStringList>

namespace trainyard {

/// One line of the table of faults in the report of a test run. It lives in one test function and writes its
/// line when that ends: passed only when the test passed and the fault was said to be injected. The lines lie
/// in Testing/faults of the build folder, from where `fault_table` makes the table.
class FaultReport {
public:
    /// `number` as in the list of faults in tests/faults/README.md.
    FaultReport(int number, const QString& fault, const QString& expected);
    ~FaultReport();
    FaultReport(const FaultReport&) = delete;
    FaultReport& operator=(const FaultReport&) = delete;

    /// The fault is verifiably there: "link of node2 down for 30 s". May be said for several.
    void injected(const QString& how);
    /// What came of it, with figures.
    void observed(const QString& what);

private:
    QString result() const;

    int m_number;
    QString m_fault;
    QString m_expected;
    QStringList m_injected;
    QStringList m_observed;
    QElapsedTimer m_time;
};

} // namespace trainyard
