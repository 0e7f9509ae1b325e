#include "app/report/thinned_curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard {

namespace {

/// The rows of one bucket that remain; -1 = there is none.
class Bucket {
public:
    explicit Bucket(const QList<double>& y) : m_y(y) {}

    void add(qsizetype row)
    {
        if (m_first < 0)
            m_first = row;
        m_last = row;
        if (!std::isfinite(m_y[row])) {
            if (m_notFinite < 0)
                m_notFinite = row;
            return;
        }
        if (m_lowest < 0 || m_y[row] < m_y[m_lowest])
            m_lowest = row;
        if (m_highest < 0 || m_y[row] > m_y[m_highest])
            m_highest = row;
    }

    void appendTo(QList<qsizetype>& rows) const
    {
        std::array kept{m_first, m_lowest, m_highest, m_notFinite, m_last};
        std::ranges::sort(kept);
        for (const qsizetype row : kept) {
            if (row >= 0 && (rows.isEmpty() || rows.last() != row))
                rows << row;
        }
    }

private:
    const QList<double>& m_y;
    qsizetype m_first = -1;
    qsizetype m_lowest = -1;
    qsizetype m_highest = -1;
    qsizetype m_notFinite = -1;
    qsizetype m_last = -1;
};

QList<qsizetype> keptRows(const ReportCurve& curve, int buckets)
{
    const double from = curve.x.first();
    const double width = (curve.x.last() - from) / buckets;
    const auto bucketOf = [&](qsizetype row) {
        return width > 0 ? std::min(buckets - 1, static_cast<int>((curve.x[row] - from) / width)) : 0;
    };
    QList<qsizetype> rows;
    for (qsizetype row = 0; row < curve.x.size();) {
        const int number = bucketOf(row);
        Bucket bucket(curve.y);
        for (; row < curve.x.size() && bucketOf(row) == number; ++row)
            bucket.add(row);
        bucket.appendTo(rows);
    }
    return rows;
}

} // namespace

ReportCurve thinned(ReportCurve curve, int buckets)
{
    if (curve.x.size() <= 4 * qsizetype(buckets))
        return curve;
    ReportCurve thin{curve.name, {}, {}, curve.look};
    for (const qsizetype row : keptRows(curve, buckets)) {
        thin.x << curve.x[row];
        thin.y << curve.y[row];
    }
    return thin;
}

} // namespace trainyard
