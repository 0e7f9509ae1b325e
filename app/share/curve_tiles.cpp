#include "app/share/curve_tiles.h"

#include <charconv>
#include <cmath>

namespace trainyard {

namespace {

/// As JavaScript writes it: the shortest text that reads back as the same number.
void append(QByteArray& out, double value)
{
    if (std::isnan(value)) {
        out += "NaN";
    } else if (std::isinf(value)) {
        out += value > 0 ? "Infinity" : "-Infinity";
    } else {
        char text[32];
        out.append(text, std::to_chars(text, text + sizeof text, value).ptr - text);
    }
}

template <typename Value>
QByteArray arrayOf(qsizetype from, qsizetype to, qsizetype stride, const Value& value)
{
    QByteArray out = "[";
    for (qsizetype row = from; row < to; row += stride) {
        if (row > from)
            out += ',';
        append(out, value(row));
    }
    return out + ']';
}

} // namespace

qsizetype overviewStride(qsizetype rows)
{
    qsizetype stride = 1;
    while ((rows + stride - 1) / stride > kOverviewRows)
        stride *= 2;
    return stride;
}

QByteArray overviewScript(const NamedSeries& series)
{
    const qsizetype rows = series.values.size();
    const qsizetype stride = overviewStride(rows);
    const auto extreme = [&](double ValueSummary::*which) {
        return [&series, stride, rows, which](qsizetype row) {
            const ValueSummary entry = series.values.summary(row, std::min(row + stride, rows));
            return entry.finite > 0 ? entry.*which : std::nan("");
        };
    };
    const auto value = [&](qsizetype row) { return series.values[row]; };
    QByteArray out = "{\"stride\":" + QByteArray::number(stride) +
                     ",\"x\":" + arrayOf(0, rows, stride, [&](qsizetype row) { return series.steps[row]; }) +
                     ",\"min\":" +
                     (stride == 1 ? arrayOf(0, rows, stride, value)
                                  : arrayOf(0, rows, stride, extreme(&ValueSummary::min)));
    if (stride > 1)
        out += ",\"max\":" + arrayOf(0, rows, stride, extreme(&ValueSummary::max));
    return out + '}';
}

qsizetype tileCount(qsizetype rows)
{
    return overviewStride(rows) == 1 ? 0 : (rows + kTileRows - 1) / kTileRows;
}

QList<double> tileStarts(const NamedSeries& series)
{
    QList<double> starts;
    for (qsizetype tile = 0; tile < tileCount(series.values.size()); ++tile)
        starts << series.steps[tile * kTileRows];
    return starts;
}

QByteArray tileScript(const NamedSeries& series, qsizetype tile)
{
    const qsizetype from = tile * kTileRows;
    const qsizetype to = std::min(from + kTileRows, series.values.size());
    return '[' + arrayOf(from, to, 1, [&](qsizetype row) { return series.steps[row]; }) + ',' +
           arrayOf(from, to, 1, [&](qsizetype row) { return series.values[row]; }) + ']';
}

} // namespace trainyard
