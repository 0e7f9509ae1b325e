#include "app/widgets/chart_panel.h"

#include <algorithm>

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <qcustomplot.h>

#include "app/models/display_text.h"
#include "app/models/theme.h"
#include "app/widgets/chart_gestures.h"
#include "app/widgets/chart_link.h"
#include "app/widgets/chart_ticker.h"

namespace trainyard {

namespace {

constexpr int kFrameMs = 40;
constexpr int kHintMs = 1800;
constexpr int kTickPixels = 11;

QLabel* label(QWidget* parent, const char* role)
{
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("role", role);
    return label;
}

/// Narrower than this the axis could not be labelled any more.
QCPRange widened(QCPRange range)
{
    if (range.size() > 0)
        return range;
    return {range.lower - 0.5, range.upper + 0.5};
}

} // namespace

ChartPanel::ChartPanel(const QString& subject, Quantity quantity, QWidget* parent)
    : QFrame(parent), m_quantity(quantity), m_plot(new QCustomPlot(this)), m_gestures(nullptr)
{
    setProperty("role", "panel");
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(subject);
    buildLayout(subject);
    buildPlot();
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, &ChartPanel::redraw);
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
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kHalf);
    column->setSpacing(metrics::kHalf);
    column->addLayout(head);
    column->addWidget(m_plot, 1);

    m_badge = label(m_plot, "small");
    m_badge->hide();
    m_hint = label(m_plot, "small");
    m_hint->setText(tr("Ctrl + wheel zooms"));
    m_hint->hide();
    m_empty = label(m_plot, "muted");
    m_empty->setText(tr("no data yet"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    for (QLabel* overlay : {m_badge, m_hint, m_empty})
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
    m_plot->axisRect()->setMinimumMargins(QMargins(0, kTickPixels, 8, 0));
    m_cursorLine = new QCPItemStraightLine(m_plot);
    m_cursorLine->setLayer(QStringLiteral("cursor"));
    m_cursorLine->setVisible(false);
    m_gestures = new ChartGestures(*m_plot);
    connect(m_gestures, &ChartGestures::bareWheelTurned, this, [this] {
        m_hint->show();
        m_hint->adjustSize();
        placeOverlays();
        QTimer::singleShot(kHintMs, m_hint, &QWidget::hide);
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
    connect(m_gestures, &ChartGestures::zoomWanted, link, [this](double x, double factor) {
        const QCPRange shown = shownSpan();
        const QCPRange full = widened(fullSpan());
        const ChartSpan span{std::max(full.lower, x - (x - shown.lower) * factor),
                             std::min(full.upper, x + (shown.upper - x) * factor)};
        const bool showsAll = span.from <= full.lower && span.to >= full.upper;
        m_link->setZoom(showsAll ? std::nullopt : std::optional(span));
    });
}

void ChartPanel::setOptions(const ChartOptions& options)
{
    if (options == m_options)
        return;
    m_options = options;
    scheduleRebuild();
}

void ChartPanel::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
}

void ChartPanel::setEmptyText(const QString& text)
{
    m_empty->setText(text);
}

void ChartPanel::addFooter(QWidget* footer)
{
    layout()->addWidget(footer);
}

void ChartPanel::setBadge(const QString& text, bool atTop)
{
    m_badge->setText(text);
    m_badgeAtTop = atTop;
    m_badge->setVisible(!text.isEmpty());
    m_badge->adjustSize();
    placeOverlays();
}

QCPRange ChartPanel::shownSpan() const
{
    if (m_link && m_link->zoom())
        return widened({m_link->zoom()->from, m_link->zoom()->to});
    return widened(fullSpan());
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
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
    showCursor();
    m_lastRedrawMs = int(timer.elapsed());
}

void ChartPanel::applyAxes()
{
    const QCPRange span = shownSpan();
    m_plot->xAxis->setRange(span);
    const int wanted = std::max(3, m_plot->width() / 90);
    m_plot->xAxis->setTicker(
        QSharedPointer<ChartTicker>::create(TickDemand{quantityOf(m_options.axis), false, wanted}));
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
    font.setPixelSize(kTickPixels);
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
    const std::optional<double> cursor = m_link ? m_link->cursor() : std::nullopt;
    const bool shown = cursor && !isEmpty() && m_plot->xAxis->range().contains(*cursor);
    m_cursorLine->setVisible(shown);
    if (shown) {
        m_cursorLine->point1->setCoords(*cursor, 0);
        m_cursorLine->point2->setCoords(*cursor, 1);
    }
    m_plot->layer(QStringLiteral("cursor"))->replot();
    const double position = shown ? *cursor : fullSpan().upper;
    showValues(position);
    showReadOut(position, shown);
}

void ChartPanel::showReadOut(double x, bool isCursor)
{
    const QString text = isEmpty() ? QString() : readOut(x, isCursor);
    const bool fits = m_readOut->fontMetrics().horizontalAdvance(text) <= m_readOut->width();
    m_readOut->setText(fits || isEmpty() ? text : briefReadOut(x, isCursor));
    m_readOut->setToolTip(toolTipOf(text));
    setAccessibleDescription(text);
}

void ChartPanel::moveCursor(int direction)
{
    if (!m_link || isEmpty())
        return;
    const QCPRange shown = shownSpan();
    const double from = m_link->cursor().value_or(shown.upper);
    m_link->setCursor(std::clamp(neighbour(from, direction), shown.lower, shown.upper));
}

void ChartPanel::placeOverlays()
{
    const QRect area = m_plot->axisRect()->rect();
    m_badge->move(area.right() - m_badge->width() - 4,
                  m_badgeAtTop ? area.top() + 2 : area.bottom() - m_badge->height() - 2);
    m_hint->move(area.center().x() - m_hint->width() / 2, area.top() + 2);
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
    switch (event->key()) {
    case Qt::Key_Left:
        return moveCursor(-1);
    case Qt::Key_Right:
        return moveCursor(+1);
    case Qt::Key_Home:
        if (m_link)
            m_link->setZoom({});
        return;
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

void ChartPanel::showEvent(QShowEvent* event)
{
    QFrame::showEvent(event);
    scheduleRebuild();
}

} // namespace trainyard
