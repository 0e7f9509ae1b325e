#include "app/charts/chart_panel.h"

#include <algorithm>
#include <cmath>

#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSharedPointer>
#include <QTextStream>

#include <qcustomplot.h>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_export.h"
#include "app/charts/chart_gestures.h"
#include "app/widgets/roles.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr int kFrameMs = 16;
constexpr int kHintMs = 1800;
constexpr int kRightMargin = 8; ///< pixels
constexpr double kPanShare = 0.25;
constexpr double kZoomFactor = 0.7;
constexpr int kLabelGap = 4;       ///< pixels from a border to its label
constexpr double kMinShare = 1e-4; ///< of a logarithmic axis that would begin at zero

QLabel* label(QWidget* parent, const char* role)
{
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("role", role);
    return label;
}

/// Positions on an axis as they lie on the screen, up to a factor.
struct AxisScale {
    bool logarithmic;
    double in(double x) const { return logarithmic ? std::log(x) : x; }
    double out(double x) const { return logarithmic ? std::exp(x) : x; }
};

/// Narrower than this the axis could not be labelled any more.
QCPRange widened(QCPRange range)
{
    if (range.size() > 0)
        return range;
    return {range.lower - 0.5, range.upper + 0.5};
}

/// Ticks of a chart axis, placed and labelled as everywhere in Trainyard.
class ChartTicker : public QCPAxisTicker {
public:
    explicit ChartTicker(const TickDemand& demand) : m_demand(demand) {}

protected:
    QVector<double> createTickVector(double, const QCPRange& range) override
    {
        return axisTicks(range.lower, range.upper, m_demand);
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        return tickText(tick, m_demand.quantity);
    }

private:
    TickDemand m_demand;
};

} // namespace

ChartPanel::ChartPanel(const QString& subject, Quantity quantity, QWidget* parent)
    : QFrame(parent)
    , m_quantity(quantity)
    , m_menu(new ChartMenu(*this))
    , m_plot(new QCustomPlot(this))
    , m_gestures(nullptr)
{
    setProperty("role", "panel");
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(subject);
    buildLayout(subject);
    buildPlot();
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, [this] {
        m_stale = visibleRegion().isEmpty(); // scrolled away: paintEvent tells when it comes back
        if (!m_stale)
            redraw();
    });
    applyTheme();
}

ChartPanel::~ChartPanel() = default;

void ChartPanel::buildLayout(const QString& subject)
{
    m_title = label(this, "heading");
    m_title->setText(subject);
    m_readOut = label(this, "small");
    m_readOut->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_readOut->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addWidget(m_readOut, 1);
    head->addWidget(m_menu);
    auto* column = columnLayout(this, metrics::kHalf,
                                {metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kHalf});
    column->addLayout(head);
    column->addWidget(m_plot, 1);

    m_badge = label(m_plot, "small");
    m_badge->hide();
    m_empty = label(m_plot, "muted");
    m_empty->setText(tr("no data yet"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    for (QLabel* overlay : {m_badge, m_empty})
        overlay->setAttribute(Qt::WA_TransparentForMouseEvents);
}

void ChartPanel::buildPlot()
{
    // The cursor moves far more often than the data changes: a buffer of its own keeps the curves from being
    // drawn again.
    m_plot->addLayer(QStringLiteral("cursor"), m_plot->layer(QStringLiteral("overlay")),
                     QCustomPlot::limBelow);
    m_plot->layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setMinimumHeight(60);
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    // QCustomPlot leaves a tick label out that would stick out of the widget: room for half of its height.
    m_plot->axisRect()->setMinimumMargins(QMargins(0, metrics::kTickPixels, kRightMargin, 0));
    m_cursorLine = new QCPItemStraightLine(m_plot);
    m_cursorLine->setLayer(QStringLiteral("cursor"));
    m_cursorLine->setVisible(false);
    m_gestures = new ChartGestures(*m_plot);
    m_hint.setSingleShot(true);
    m_hint.setInterval(kHintMs);
    connect(&m_hint, &QTimer::timeout, this, &ChartPanel::readOutCursor);
    connect(m_gestures, &ChartGestures::bareWheelTurned, this, [this] {
        m_hint.start();
        setReadOut({tr("Ctrl + wheel zooms, Shift + wheel moves"), tr("Ctrl + wheel zooms")});
    });
}

void ChartPanel::setLink(ChartLink* link)
{
    m_link = link;
    connect(link, &ChartLink::cursorChanged, this, &ChartPanel::showCursor);
    connect(link, &ChartLink::zoomChanged, this, &ChartPanel::scheduleRebuild);
    connect(m_gestures, &ChartGestures::hovered, link, [this](double x) { m_link->setCursor(snapped(x)); });
    connect(m_gestures, &ChartGestures::left, link, [link] { link->setCursor({}); });
    connect(m_gestures, &ChartGestures::resetWanted, link, [link] { link->setZoom({}); });
    connect(m_gestures, &ChartGestures::boxChosen, link, [link](double from, double to) {
        link->setZoom(ChartSpan{from, to});
    });
    connect(m_gestures, &ChartGestures::zoomWanted, link,
            [this](double x, double factor) { zoomAround(x, factor); });
    connect(m_gestures, &ChartGestures::panWanted, link, [this](double share) { pan(share); });
    connect(m_gestures, &ChartGestures::pinWanted, link, [this](double x) { emit pinWanted(snapped(x)); });
}

/// On a logarithmic axis distances are those of the logarithm: what is zoomed stays under the pointer.
void ChartPanel::zoomAround(double x, double factor)
{
    const AxisScale scale{isHorizontallyLogarithmic()};
    const QCPRange shown = shownSpan();
    const double at = scale.in(x);
    zoomTo(scale.out(at - (at - scale.in(shown.lower)) * factor),
           scale.out(at + (scale.in(shown.upper) - at) * factor));
}

/// By a share of what is shown, towards the end when positive; stops at the data's ends.
void ChartPanel::pan(double share)
{
    if (!m_link || !m_link->zoom())
        return;
    const AxisScale scale{isHorizontallyLogarithmic()};
    const QCPRange full = wholeSpan();
    const QCPRange shown = shownSpan();
    const double wanted = share * (scale.in(shown.upper) - scale.in(shown.lower));
    const double distance = std::clamp(wanted, scale.in(full.lower) - scale.in(shown.lower),
                                       scale.in(full.upper) - scale.in(shown.upper));
    zoomTo(scale.out(scale.in(shown.lower) + distance), scale.out(scale.in(shown.upper) + distance));
}

void ChartPanel::zoomTo(double from, double to)
{
    if (!m_link)
        return;
    const QCPRange full = wholeSpan();
    const ChartSpan span{std::max(full.lower, from), std::min(full.upper, to)};
    const bool showsAll = span.from <= full.lower && span.to >= full.upper;
    m_link->setZoom(showsAll ? std::nullopt : std::optional(span));
}

void ChartPanel::setOptions(const ChartOptions& options)
{
    if (options == m_options)
        return;
    m_options = options;
    scheduleRebuild();
}

QString ChartPanel::title() const
{
    return m_title->text();
}

void ChartPanel::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
}

void ChartPanel::setBorders(const QList<ChartBorder>& borders)
{
    if (borders == m_borders)
        return;
    m_borders = borders;
    scheduleRebuild();
}

/// The line before the data's first position would only look like an axis.
void ChartPanel::drawBorders()
{
    for (QCPAbstractItem* item : m_borderItems)
        m_plot->removeItem(item);
    m_borderItems.clear();
    if (isEmpty())
        return;
    const QCPRange shown = m_plot->xAxis->range();
    for (qsizetype i = 0; i < m_borders.size(); ++i) {
        const bool isLast = i + 1 == m_borders.size() || m_borders[i + 1].x > shown.upper;
        const double end =
            isLast ? m_plot->axisRect()->right() : m_plot->xAxis->coordToPixel(m_borders[i + 1].x);
        if (shown.contains(m_borders[i].x))
            drawBorder(m_borders[i], end);
    }
}

void ChartPanel::drawBorder(const ChartBorder& border, double nextPixel)
{
    const ThemeColours& colours = coloursOf(palette());
    auto* line = new QCPItemStraightLine(m_plot);
    line->point1->setCoords(border.x, 0);
    line->point2->setCoords(border.x, 1);
    line->setPen(QPen(colours.muted, 1, Qt::DotLine));
    m_borderItems.append(line);
    QFont font = this->font();
    font.setPixelSize(metrics::kTickPixels);
    const double room = nextPixel - m_plot->xAxis->coordToPixel(border.x);
    if (QFontMetricsF(font).horizontalAdvance(border.label) + 2 * kLabelGap > room)
        return;
    auto* text = new QCPItemText(m_plot);
    text->position->setTypeX(QCPItemPosition::ptPlotCoords);
    text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    text->position->setCoords(border.x, 0);
    text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    text->setPadding(QMargins(kLabelGap, 2, 0, 0));
    text->setFont(font);
    text->setColor(colours.muted);
    text->setText(border.label);
    m_borderItems.append(text);
}

/// The borders in view, for a screen reader.
QString ChartPanel::bordersText(const QCPRange& span) const
{
    QStringList texts;
    for (const ChartBorder& border : m_borders) {
        if (span.contains(border.x))
            texts << tr("%1 begins at %2").arg(border.label, positionText(m_options.axis, border.x));
    }
    return texts.join(QStringLiteral("; "));
}

void ChartPanel::setEmptyText(const QString& text)
{
    m_empty->setText(text);
}

void ChartPanel::addFooter(QWidget* footer)
{
    layout()->addWidget(footer);
}

void ChartPanel::setBadge(const QString& text)
{
    m_badge->setText(text);
    m_badge->setVisible(!text.isEmpty());
    m_badge->adjustSize();
    placeOverlays();
    const int strip = text.isEmpty() ? metrics::kTickPixels : m_badge->height();
    const QMargins margins(0, strip, kRightMargin, 0);
    if (m_plot->axisRect()->minimumMargins() == margins)
        return;
    m_plot->axisRect()->setMinimumMargins(margins);
    m_plot->replot(QCustomPlot::rpQueuedReplot); // a count of outliers comes after the picture
}

QCPRange ChartPanel::shownSpan() const
{
    if (m_link && m_link->zoom())
        return onAxis(widened({m_link->zoom()->from, m_link->zoom()->to}));
    return wholeSpan();
}

QCPRange ChartPanel::wholeSpan() const
{
    return onAxis(widened(fullSpan()));
}

/// A logarithmic axis cannot begin at zero: then it begins a few decades below its end.
QCPRange ChartPanel::onAxis(const QCPRange& span) const
{
    if (!isHorizontallyLogarithmic() || span.lower > 0)
        return span;
    return {std::min(1.0, span.upper * kMinShare), span.upper};
}

bool ChartPanel::isHorizontallyLogarithmic() const
{
    return m_options.logarithmicX && canBeLogarithmic(m_options.axis) && fullSpan().upper > 0;
}

void ChartPanel::scheduleRebuild()
{
    // A chart that takes long to draw is drawn less often: at most a third of the time goes into it.
    if (!m_due.isActive())
        m_due.start(std::max(kFrameMs, 2 * m_lastRedrawMs));
}

void ChartPanel::replotNow()
{
    m_due.stop();
    redraw();
}

void ChartPanel::redraw()
{
    if (!isVisible())
        return; // showEvent draws
    QElapsedTimer timer;
    timer.start();
    m_empty->setVisible(isEmpty());
    applyAxes();
    rebuild();
    drawBorders();
    placeCursor();
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
    readOutCursor();
    m_lastRedrawMs = int(timer.elapsed());
}

void ChartPanel::applyAxes()
{
    const QCPRange span = shownSpan();
    const bool logarithmicX = isHorizontallyLogarithmic();
    m_plot->xAxis->setScaleType(logarithmicX ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->xAxis->setRange(span);
    const int wanted = std::max(3, m_plot->width() / 90);
    m_plot->xAxis->setTicker(
        QSharedPointer<ChartTicker>::create(TickDemand{quantityOf(m_options.axis), logarithmicX, wanted}));
    const bool logarithmic = m_options.logarithmic && m_quantity == Quantity::Number;
    m_plot->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    const int rows = std::max(3, m_plot->height() / 40);
    m_plot->yAxis->setTicker(QSharedPointer<ChartTicker>::create(TickDemand{m_quantity, logarithmic, rows}));
}

void ChartPanel::applyTheme()
{
    const ThemeColours& colours = coloursOf(palette());
    m_plot->setBackground(QBrush(colours.panel));
    QFont font = this->font();
    font.setPixelSize(metrics::kTickPixels);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setTickLabelFont(font);
        axis->setTickLabelColor(colours.muted);
        axis->setBasePen(QPen(colours.border));
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
        axis->grid()->setPen(QPen(colours.grid));
        axis->grid()->setZeroLinePen(QPen(colours.grid));
        axis->grid()->setSubGridVisible(false);
        axis->setTickLength(0);
        axis->setTickLabelPadding(6);
    }
    m_plot->yAxis->setBasePen(Qt::NoPen);
    m_badge->setStyleSheet(QStringLiteral("background: %1; padding: 0 4px").arg(colours.panel.name()));
    m_cursorLine->setPen(QPen(colours.muted, 1, Qt::DashLine));
    m_gestures->setColour(colours.accent);
    scheduleRebuild();
}

void ChartPanel::showCursor()
{
    placeCursor();
    m_plot->layer(QStringLiteral("cursor"))->replot();
    readOutCursor();
}

void ChartPanel::placeCursor()
{
    const std::optional<double> cursor = shownCursor();
    m_cursorLine->setVisible(cursor.has_value());
    if (cursor) {
        m_cursorLine->point1->setCoords(*cursor, 0);
        m_cursorLine->point2->setCoords(*cursor, 1);
    }
}

void ChartPanel::readOutCursor()
{
    const std::optional<double> cursor = shownCursor();
    const double position = cursor.value_or(fullSpan().upper);
    showValues(position);
    showReadOut(position, cursor.has_value());
}

/// Of the link, where it is in view.
std::optional<double> ChartPanel::shownCursor() const
{
    const std::optional<double> cursor = m_link ? m_link->cursor() : std::nullopt;
    return cursor && !isEmpty() && m_plot->xAxis->range().contains(*cursor) ? cursor : std::nullopt;
}

void ChartPanel::showReadOut(double x, bool isCursor)
{
    const QString text = isEmpty() ? QString() : readOut(x, isCursor);
    if (!m_hint.isActive())
        setReadOut(isEmpty() ? QStringList()
                             : QStringList{text, briefReadOut(x, isCursor), briefReadOut(x, false)});
    m_readOut->setToolTip(toolTipOf(text));
    setAccessibleDescription(QStringList{text, shownText()}.join(QStringLiteral(". ")));
}

/// The first text that fits: a number of which a part is cut off would read as another number.
void ChartPanel::setReadOut(const QStringList& texts)
{
    const QFontMetrics metrics = m_readOut->fontMetrics();
    const auto fitting = std::ranges::find_if(
        texts, [&](const QString& text) { return metrics.horizontalAdvance(text) <= m_readOut->width(); });
    m_readOut->setText(fitting == texts.end() ? QString() : *fitting);
}

/// What the picture shows, in words.
QString ChartPanel::shownText() const
{
    if (isEmpty())
        return m_empty->text();
    const QCPRange span = shownSpan();
    QString text =
        tr("Shown: %1 to %2")
            .arg(positionText(m_options.axis, span.lower), positionText(m_options.axis, span.upper));
    if (m_plot->yAxis->scaleType() == QCPAxis::stLogarithmic)
        text += tr(", logarithmic");
    QStringList parts{text, bordersText(span), m_badge->text()};
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

void ChartPanel::moveCursor(int direction)
{
    if (m_link && !isEmpty())
        moveCursorTo(neighbour(m_link->cursor().value_or(shownSpan().upper), direction));
}

void ChartPanel::moveCursorTo(double x)
{
    if (!m_link || isEmpty())
        return;
    const QCPRange shown = shownSpan();
    m_link->setCursor(std::clamp(snapped(x), shown.lower, shown.upper));
}

void ChartPanel::placeOverlays()
{
    const QRect area = m_plot->axisRect()->rect();
    m_badge->move(std::max(0, area.right() - m_badge->width()), 0);
    m_empty->setGeometry(m_plot->rect());
}

void ChartPanel::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        applyTheme();
}

void ChartPanel::keyPressEvent(QKeyEvent* event)
{
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const double centre = m_link && m_link->cursor() ? *m_link->cursor() : shownSpan().center();
    switch (event->key()) {
    case Qt::Key_Left:
        return shift ? pan(-kPanShare) : moveCursor(-1);
    case Qt::Key_Right:
        return shift ? pan(kPanShare) : moveCursor(+1);
    case Qt::Key_Home:
        return moveCursorTo(shownSpan().lower);
    case Qt::Key_End:
        return moveCursorTo(shownSpan().upper);
    case Qt::Key_Plus:
        return zoomAround(centre, kZoomFactor);
    case Qt::Key_Minus:
        return zoomAround(centre, 1 / kZoomFactor);
    case Qt::Key_0:
        return m_link ? m_link->setZoom({}) : void();
    case Qt::Key_P:
        return pinAtCursor();
    default:
        QFrame::keyPressEvent(event);
    }
}

void ChartPanel::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    placeOverlays();
    scheduleRebuild();
}

void ChartPanel::paintEvent(QPaintEvent* event)
{
    QFrame::paintEvent(event);
    if (std::exchange(m_stale, false))
        scheduleRebuild();
}

void ChartPanel::showEvent(QShowEvent* event)
{
    QFrame::showEvent(event);
    scheduleRebuild();
}

void ChartPanel::setPinnable()
{
    m_menu->addPin();
}

void ChartPanel::pinAtCursor()
{
    if (!isEmpty())
        emit pinWanted(snapped(m_link && m_link->cursor() ? *m_link->cursor() : fullSpan().upper));
}

Status ChartPanel::saveImage(const QString& file)
{
    return saveChartImage(*m_plot, title(), file);
}

void ChartPanel::copyImage()
{
    QGuiApplication::clipboard()->setImage(chartImage(*m_plot, title()));
}

Status ChartPanel::saveValues(const QString& file) const
{
    QString text;
    QTextStream out(&text);
    writeCsv(out);
    return writeFileAtomically(file.toStdString(), text.toStdString());
}

} // namespace trainyard
