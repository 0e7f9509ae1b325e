#pragma once

#include <memory>

#include <QCache>
#include <QPixmap>
#include <QScrollArea>

namespace trainyard {

class PagedReport;

/// Shows the printed pages of a report in a column. Ctrl and the wheel zoom, as do + and -; 0 fits the width.
class PagePreview : public QScrollArea {
    Q_OBJECT

public:
    explicit PagePreview(QWidget* parent = nullptr);
    ~PagePreview() override;

    /// Clears the preview when `report` is null. Keeps the scroll position.
    void setReport(std::unique_ptr<PagedReport> report);
    int pageCount() const;
    double zoom() const { return m_zoom; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    class Sheets;

    void fitWidth();
    void setZoom(double zoom, bool fits);

    std::unique_ptr<PagedReport> m_report;
    Sheets* m_sheets;
    double m_zoom = 1;  ///< device-independent pixels per point
    bool m_fits = true; ///< the width of a page follows the width of the view
};

} // namespace trainyard
