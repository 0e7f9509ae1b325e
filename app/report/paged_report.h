#pragma once

#include <memory>

#include <QSizeF>
#include <QStringList>

#include "app/report/report_document.h"

class QPainter;
class QTextDocument;

namespace trainyard {

/// A report laid out on pages, for the PDF and the preview. Needs a QApplication; GUI thread.
class PagedReport {
public:
    /// Lengths in points (1/72 inch); A4 upright.
    explicit PagedReport(const ReportDocument& document);
    ~PagedReport();

    static QSizeF pageSize(); ///< the whole sheet
    int pageCount() const;
    /// Returns the text of all pages, without labels of figures.
    QString text() const;
    /// Draws page `index` (from 0) with its number, as vectors, one unit = one point, at the painter's
    /// origin.
    void paintPage(QPainter& painter, int index) const;

private:
    std::unique_ptr<QTextDocument> m_text;
    QString m_title;
    QStringList m_captions; ///< captions of figures, and of sections that begin with one: they are painted
};

} // namespace trainyard
