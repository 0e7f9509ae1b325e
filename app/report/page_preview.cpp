#include "app/report/page_preview.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "app/base/theme.h"
#include "app/report/paged_report.h"

namespace trainyard {

namespace {

constexpr int kMargin = 16;
constexpr double kMinZoom = 0.3;
constexpr double kMaxZoom = 4;
constexpr double kWidestFit = 1.6; ///< on a wide screen a page as wide as the view would be too large to read
constexpr int kCachedPages = 24;

} // namespace

/// The sheets; paints those in view, from pixmaps as long as the zoom stays.
class PagePreview::Sheets : public QWidget {
public:
    Sheets() : m_pictures(kCachedPages) {}

    void show(const PagedReport* report, double zoom)
    {
        m_report = report;
        m_zoom = zoom;
        m_pictures.clear();
        const QSizeF page = PagedReport::pageSize() * zoom;
        const int pages = report ? report->pageCount() : 0;
        setMinimumSize(int(page.width()) + 2 * kMargin, int((page.height() + kMargin) * pages) + kMargin);
        update();
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QPainter painter(this);
        for (int page = 0; m_report && page < m_report->pageCount(); ++page) {
            const QRect sheet = sheetOf(page);
            if (!sheet.adjusted(-1, -1, 1, 1).intersects(event->rect()))
                continue;
            painter.drawPixmap(sheet.topLeft(), picture(page, sheet.size()));
            painter.setPen(coloursOf(palette()).border);
            painter.drawRect(sheet.adjusted(-1, -1, 0, 0));
        }
    }

private:
    QRect sheetOf(int page) const
    {
        const QSize size = (PagedReport::pageSize() * m_zoom).toSize();
        return {QPoint((width() - size.width()) / 2, kMargin + page * (size.height() + kMargin)), size};
    }

    QPixmap picture(int page, const QSize& size)
    {
        if (const QPixmap* known = m_pictures.object(page))
            return *known;
        auto picture = std::make_unique<QPixmap>(size * devicePixelRatioF());
        picture->setDevicePixelRatio(devicePixelRatioF());
        picture->fill(Qt::white);
        QPainter painter(picture.get());
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
        painter.scale(m_zoom, m_zoom);
        m_report->paintPage(painter, page);
        painter.end();
        const QPixmap result = *picture;
        m_pictures.insert(page, picture.release());
        return result;
    }

    const PagedReport* m_report = nullptr;
    double m_zoom = 1;
    QCache<int, QPixmap> m_pictures;
};

PagePreview::PagePreview(QWidget* parent) : QScrollArea(parent), m_sheets(new Sheets)
{
    setWidget(m_sheets);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Preview of the pages"));
}

PagePreview::~PagePreview()
{
    m_sheets->show(nullptr, 1); // the sheets outlive the report by a moment
}

void PagePreview::setReport(std::unique_ptr<PagedReport> report)
{
    const int place = verticalScrollBar()->value();
    m_sheets->show(nullptr, m_zoom);
    m_report = std::move(report);
    m_sheets->show(m_report.get(), m_zoom);
    setAccessibleDescription(tr("%1 pages").arg(pageCount()));
    if (m_fits)
        fitWidth();
    verticalScrollBar()->setValue(place);
}

int PagePreview::pageCount() const
{
    return m_report ? m_report->pageCount() : 0;
}

void PagePreview::fitWidth()
{
    const double room = viewport()->width() - 2 * kMargin;
    setZoom(std::min(room / PagedReport::pageSize().width(), kWidestFit), true);
}

void PagePreview::setZoom(double zoom, bool fits)
{
    const double before = m_zoom;
    m_zoom = std::clamp(zoom, kMinZoom, kMaxZoom);
    m_fits = fits;
    if (std::fabs(before - m_zoom) < 1e-6)
        return;
    const double place = verticalScrollBar()->value() / before;
    m_sheets->show(m_report.get(), m_zoom);
    verticalScrollBar()->setValue(int(place * m_zoom));
}

void PagePreview::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    if (m_fits)
        fitWidth();
}

void PagePreview::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier)
        setZoom(m_zoom * std::pow(1.15, event->angleDelta().y() / 120.0), false);
    else
        QScrollArea::wheelEvent(event);
}

void PagePreview::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
        return setZoom(m_zoom * 1.15, false);
    case Qt::Key_Minus:
        return setZoom(m_zoom / 1.15, false);
    case Qt::Key_0:
        return fitWidth();
    default:
        QScrollArea::keyPressEvent(event);
    }
}

} // namespace trainyard
