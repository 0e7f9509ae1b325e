#pragma once

#include <optional>

#include <QFrame>
#include <QTimer>

#include "app/charts/chart_options.h"
#include "app/series/axis.h"
#include "engine/base/result.h"

class QCPAbstractItem;
class QCPAxis;
class QCPItemStraightLine;
class QCPRange;
class QCustomPlot;
class QLabel;
class QTextStream;

namespace trainyard {

class ChartGestures;
class ChartLink;
class ChartMenu;

/// What a chart says at a position.
struct ChartValue {
    QString name; ///< of the curve; empty where there is only one
    double value;
};

/// A position on the horizontal axis where something begins.
struct ChartBorder {
    double x = 0;
    QString label;

    bool operator==(const ChartBorder&) const = default;
};

/// A panel with a title, a read-out of what is under the cursor and a plot below. What every chart has in
/// common: colours that follow the theme, linked cursor and zoom, gestures, keys, and redrawing at most once
/// per frame.
///
/// A derived chart keeps its data, fills the plot in rebuild() and describes a position in readOut().
class ChartPanel : public QFrame {
    Q_OBJECT

public:
    /// `subject` names the figure: it is the title and the accessible name.
    ChartPanel(const QString& subject, Quantity quantity, QWidget* parent = nullptr);
    ~ChartPanel() override;

    /// The link must outlive the chart; charts with the same link share cursor and zoom.
    void setLink(ChartLink* link);
    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const { return m_options; }
    void setTitle(const QString& title);
    /// Marked by vertical lines, each with its label where that fits; ascending.
    void setBorders(const QList<ChartBorder>& borders);
    const QList<ChartBorder>& borders() const { return m_borders; }
    /// Offers to pin the values under the cursor; somebody listens to pinWanted().
    void setPinnable();
    /// Shown in the middle while there is nothing to draw.
    void setEmptyText(const QString& text);

    QSize sizeHint() const override { return {300, 140}; }
    QSize minimumSizeHint() const override { return {200, 130}; }

    QString title() const;
    Quantity quantity() const { return m_quantity; }
    /// What lies nearest to x.
    virtual QList<ChartValue> valuesAt(double x) const = 0;

    /// What is shown, as PNG, SVG or PDF by the file's suffix.
    Status saveImage(const QString& file);
    /// The values of what is shown, one row for each point.
    Status saveValues(const QString& file) const;
    void copyImage();
    /// Asks for a pin where the cursor is, else at the newest position.
    void pinAtCursor();

    /// Everything that is due is drawn now; for pictures and tests.
    void replotNow();

signals:
    /// A file was written, or could not be.
    void saved(const QString& file);
    void saveFailed(const trainyard::Error& error);
    /// Somebody wants the values under the cursor kept.
    void pinWanted(double x);

protected:
    /// Fills the plot from the data and options. Called before a replot, at most once per frame.
    virtual void rebuild() = 0;
    virtual bool isEmpty() const = 0;
    /// The whole extent of the data along the horizontal axis.
    virtual QCPRange fullSpan() const = 0;
    /// The data's position nearest to x, where the cursor snaps to.
    virtual double snapped(double x) const { return x; }
    /// What the data says at x; `isCursor` is false when nobody points, x is then the newest position.
    virtual QString readOut(double x, bool isCursor) const = 0;
    /// The same in fewer words, for a narrow chart.
    virtual QString briefReadOut(double x, bool isCursor) const { return readOut(x, isCursor); }
    /// The read-out moved to x: for what a chart shows beside it.
    virtual void showValues(double /*x*/) {}
    /// The position before (-1) or after (+1) x.
    virtual double neighbour(double x, int direction) const = 0;
    /// A table of the points within shownSpan(), with a line of titles.
    virtual void writeCsv(QTextStream& out) const = 0;

    void scheduleRebuild();
    /// Puts a widget below the plot.
    void addFooter(QWidget* footer);
    /// A note above the plot, at its right end; takes a line of its height.
    void setBadge(const QString& text);
    QCustomPlot& plot() { return *m_plot; }
    const QCustomPlot& plot() const { return *m_plot; }
    /// The part of the horizontal axis that is shown.
    QCPRange shownSpan() const;
    bool isHorizontallyLogarithmic() const;

    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildLayout(const QString& subject);
    void buildPlot();
    void applyTheme();
    void applyAxes();
    void redraw();
    void drawBorders();
    void drawBorder(const ChartBorder& border, double nextPixel);
    QString bordersText(const QCPRange& span) const;
    void showCursor();
    void placeCursor();
    void readOutCursor();
    std::optional<double> shownCursor() const;
    void showReadOut(double x, bool isCursor);
    void setReadOut(const QStringList& texts);
    void moveCursor(int direction);
    void moveCursorTo(double x);
    void zoomAround(double x, double factor);
    void pan(double share);
    void zoomTo(double from, double to);
    QCPRange wholeSpan() const;
    QCPRange onAxis(const QCPRange& span) const;
    QString shownText() const;
    void placeOverlays();

    Quantity m_quantity;
    ChartOptions m_options;
    ChartLink* m_link = nullptr;
    QLabel* m_title;
    QLabel* m_readOut;
    ChartMenu* m_menu;
    QLabel* m_badge;
    QTimer m_hint; ///< runs while the read-out says how the wheel zooms
    QLabel* m_empty;
    QCustomPlot* m_plot;
    QCPItemStraightLine* m_cursorLine;
    QList<ChartBorder> m_borders;
    QList<QCPAbstractItem*> m_borderItems; ///< owned by the plot
    ChartGestures* m_gestures;
    QTimer m_due;
    int m_lastRedrawMs = 0;
    bool m_stale = false; ///< has changed while nobody could see it
};

} // namespace trainyard
