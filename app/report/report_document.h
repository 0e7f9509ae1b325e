#pragma once

#include <variant>

#include <QColor>
#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

/// Rows of text under column headings. Every row has a cell per column.
struct ReportTable {
    QString caption;
    QStringList columns;
    QList<QStringList> rows;

    bool operator==(const ReportTable&) const = default;
};

/// A curve of a figure; NaN in y is drawn as a gap.
struct ReportCurve {
    enum class Look {
        Line,
        Marked, ///< a line with every point marked: few values, each measured separately
        Dashed, ///< not measured: an ideal or a plan
        Faint,  ///< raw values behind a smoothed curve; shares the colour of the curve after it
    };

    QString name;
    QList<double> x; ///< a count (step, ranks): integer ticks only
    QList<double> y;
    Look look = Look::Line;

    bool operator==(const ReportCurve&) const = default;
};

/// One layer of stacked bars: a value for each bar. The plan is drawn as outlines next to measured bars.
struct ReportLayer {
    QString name;
    QColor colour;
    QList<double> values;
    bool isPlanned = false;

    bool operator==(const ReportLayer&) const = default;
};

/// A labelled vertical line across a figure of curves.
struct ReportMark {
    double x = 0;
    QString label;

    bool operator==(const ReportMark&) const = default;
};

/// Curves over x, or stacked bars (then `bars` names them and `layers` fills them).
struct ReportFigure {
    QString caption;
    QString xLabel; ///< with unit
    QString yLabel; ///< with unit
    QList<ReportCurve> curves = {};
    QStringList bars = {};
    QList<ReportLayer> layers = {};
    bool fromZero = false; ///< the y axis of curves begins at 0; that of bars always does
    QList<ReportMark> marks = {};

    bool operator==(const ReportFigure&) const = default;
};

using ReportBlock = std::variant<QString, ReportTable, ReportFigure>;

struct ReportSection {
    QString title;
    QList<ReportBlock> blocks;
    bool isFolded = false; ///< seldom read: a web page shows its title, and the rest when that is clicked

    bool operator==(const ReportSection&) const = default;
};

/// The content of a report, independent of its format: HTML, PDF, CSV and JSON are written from the same
/// value.
struct ReportDocument {
    QString title;
    QString subtitle;
    QList<ReportSection> sections;

    bool operator==(const ReportDocument&) const = default;
};

} // namespace trainyard
