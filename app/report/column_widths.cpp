#include "app/report/column_widths.h"

#include <algorithm>
#include <numeric>

namespace trainyard {

namespace {

struct Need {
    double word = 0; ///< of the longest word
    double text = 0; ///< of the longest cell on one line
};

void add(const QString& cell, const QFontMetricsF& metrics, double padding, Need& need)
{
    need.text = std::max(need.text, metrics.horizontalAdvance(cell) + 2 * padding);
    for (const QString& word : cell.split(QLatin1Char(' ')))
        need.word = std::max(need.word, metrics.horizontalAdvance(word) + 2 * padding);
}

double sumOf(const QList<Need>& needs, double Need::*member)
{
    return std::accumulate(needs.begin(), needs.end(), 0.0,
                           [member](double sum, const Need& need) { return sum + need.*member; });
}

} // namespace

QList<double> columnWidths(const ReportTable& table, const QFontMetricsF& metrics, double padding,
                           double width)
{
    QList<Need> needs(table.columns.size());
    for (qsizetype column = 0; column < needs.size(); ++column) {
        add(table.columns[column], metrics, padding, needs[column]);
        for (const QStringList& row : table.rows)
            add(row[column], metrics, padding, needs[column]);
    }
    const double words = sumOf(needs, &Need::word);
    const double texts = sumOf(needs, &Need::text);
    QList<double> widths;
    for (const Need& need : needs) {
        if (texts <= width)
            widths << need.text * width / texts;
        else if (words <= width)
            widths << need.word + (need.text - need.word) * (width - words) / (texts - words);
        else
            widths << need.word * width / words;
    }
    return widths;
}

} // namespace trainyard
