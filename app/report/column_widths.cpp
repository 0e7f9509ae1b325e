#include "app/report/column_widths.h"

#include <algorithm>
#include <numeric>

#include <QRegularExpression>

namespace trainyard {

namespace {

struct Need {
    double word = 0; ///< of the longest part without a place to break it
    double text = 0; ///< of the longest cell on one line
};

/// What stays together in a cell: numbers and units do, "long-names" may be broken behind a hyphen.
QStringList wordsOf(const QString& cell)
{
    static const QRegularExpression gap(QStringLiteral(" |(?<=-)(?=[A-Za-z])"));
    return cell.split(gap);
}

void add(const QString& cell, const QFontMetricsF& metrics, double padding, Need& need)
{
    need.text = std::max(need.text, metrics.horizontalAdvance(cell) + 2 * padding);
    for (const QString& word : wordsOf(cell))
        need.word = std::max(need.word, metrics.horizontalAdvance(word) + 2 * padding);
}

double sumOf(const QList<Need>& needs, double Need::*member)
{
    return std::accumulate(needs.begin(), needs.end(), 0.0,
                           [member](double sum, const Need& need) { return sum + need.*member; });
}

/// What no column with short words lacks is left to those with long ones, in equal parts.
QList<double> shareWords(const QList<Need>& needs, double width)
{
    QList<qsizetype> byWord(needs.size());
    std::iota(byWord.begin(), byWord.end(), 0);
    std::sort(byWord.begin(), byWord.end(),
              [&needs](qsizetype a, qsizetype b) { return needs[a].word < needs[b].word; });
    QList<double> widths(needs.size());
    qsizetype others = needs.size();
    for (const qsizetype column : byWord) {
        widths[column] = std::min(needs[column].word, width / double(others--));
        width -= widths[column];
    }
    return widths;
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
    if (words > width)
        return shareWords(needs, width);
    QList<double> widths;
    for (const Need& need : needs)
        widths << (texts <= width ? need.text * width / texts
                                  : need.word + (need.text - need.word) * (width - words) / (texts - words));
    return widths;
}

} // namespace trainyard
