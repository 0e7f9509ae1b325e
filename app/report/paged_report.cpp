#include "app/report/paged_report.h"

#include <optional>

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextObjectInterface>
#include <QTextTable>

#include "app/base/theme.h"
#include "app/report/column_widths.h"
#include "app/report/figure_painter.h"

namespace trainyard {

namespace {

constexpr QSizeF kPage{595, 842}; // A4
constexpr double kMargin = 48;
constexpr int kFigureObject = QTextFormat::UserObject + 1;
constexpr int kFigureProperty = QTextFormat::UserProperty + 1;
constexpr double kCaptionHeight = 18;
constexpr double kHeadingHeight = 28;
constexpr double kHeadingPoints = 12;
constexpr double kTableGap = 16;
constexpr double kTablePoints = 8;
constexpr double kCellPadding = 2;
constexpr qsizetype kWholeTable = 12; // rows
// For what is painted by hand: one unit is one point, and a size in points would be scaled by the device
// again.
constexpr int kFooterPixels = 8;
constexpr int kCaptionPixels = 11; // as large as 8 points come out in the flowing text
constexpr int kHeadingPixels = 16; // as large as kHeadingPoints comes out in the flowing text

QSizeF textArea()
{
    return {kPage.width() - 2 * kMargin, kPage.height() - 2 * kMargin};
}

/// A figure with its caption and, at the start of a section, the section's heading: no page ends between
/// them.
struct PlacedFigure {
    QString heading;
    QString caption;
    QSizeF size;
    QByteArray svg; ///< made once: pages are painted again and again

    double headingHeight() const { return heading.isEmpty() ? 0 : kHeadingHeight; }
};

PlacedFigure placed(const QString& heading, const ReportFigure& figure)
{
    const QSizeF size = figureSize(figure);
    const double width = textArea().width();
    return {heading, figure.caption, {width, width * size.height() / size.width()}, figureSvg(figure)};
}

void drawLine(QPainter& painter, const QRectF& line, int pixels, QFont::Weight weight, const QColor& colour,
              const QString& text)
{
    QFont font = painter.font();
    font.setPixelSize(pixels);
    font.setWeight(weight);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignBottom,
                     painter.fontMetrics().elidedText(text, Qt::ElideMiddle, int(line.width())));
}

/// Positions in the text between which no page may end: a heading or caption, and a row of the table below
/// it; the last row of a short table, the first one of a long table.
struct KeptTogether {
    int lead;
    int row;
};

/// Lets the text flow around figures that paint themselves.
class FigureObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

public:
    FigureObject(QList<PlacedFigure> figures, QObject* parent)
        : QObject(parent), m_figures(std::move(figures))
    {
    }
    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override
    {
        const PlacedFigure& placed = figureOf(format);
        return placed.size + QSizeF(0, placed.headingHeight() + kCaptionHeight);
    }
    void drawObject(QPainter* painter, const QRectF& area, QTextDocument* text, int,
                    const QTextFormat& format) override
    {
        painter->setFont(text->defaultFont());
        const PlacedFigure& placed = figureOf(format);
        const ThemeColours& colours = coloursOf(ColourScheme::Light);
        const QRectF heading(area.topLeft(), QSizeF(area.width(), placed.headingHeight()));
        const QRectF caption(heading.bottomLeft(), QSizeF(area.width(), kCaptionHeight));
        drawLine(*painter, heading, kHeadingPixels, QFont::Bold, colours.text, placed.heading);
        drawLine(*painter, caption, kCaptionPixels, QFont::Normal, colours.muted, placed.caption);
        paintFigure(*painter, QRectF(caption.bottomLeft(), area.bottomRight()), placed.svg);
    }

private:
    const PlacedFigure& figureOf(const QTextFormat& format) const
    {
        return m_figures[format.intProperty(kFigureProperty)];
    }

    QList<PlacedFigure> m_figures;
};

/// Writes a document into a text document, from top to bottom.
class TextWriter {
public:
    explicit TextWriter(QTextDocument& text) : m_cursor(&text) {}

    void write(const ReportDocument& document)
    {
        paragraph(document.title, 18, QFont::Bold, colours().text, 0);
        paragraph(document.subtitle, 7.5, QFont::Normal, colours().muted, 2);
        for (const ReportSection& section : document.sections) {
            if (startsWithFigure(section))
                m_heading = section.title;
            else
                heading(section.title);
            for (const ReportBlock& block : section.blocks)
                std::visit([this](const auto& content) { add(content); }, block);
        }
    }
    QList<PlacedFigure> takeFigures() { return std::move(m_figures); }
    const QList<KeptTogether>& keptTogether() const { return m_keptTogether; }

private:
    void heading(const QString& title)
    {
        paragraph(title, kHeadingPoints, QFont::Bold, colours().text, 16);
        m_lead = m_cursor.block().position();
    }
    static bool startsWithFigure(const ReportSection& section)
    {
        return !section.blocks.isEmpty() && std::holds_alternative<ReportFigure>(section.blocks.front());
    }
    static const ThemeColours& colours() { return coloursOf(ColourScheme::Light); }

    void paragraph(const QString& text, double points, QFont::Weight weight, const QColor& colour,
                   double above)
    {
        QTextBlockFormat block;
        block.setTopMargin(above);
        if (std::exchange(m_isAfterTable, false) || m_cursor.block().length() > 1) // of 1: its own end alone
            m_cursor.insertBlock(block);
        else
            m_cursor.setBlockFormat(block);
        m_cursor.insertText(text, characters(points, weight, colour));
    }
    static QTextCharFormat characters(double points, QFont::Weight weight, const QColor& colour)
    {
        QTextCharFormat format;
        format.setFontPointSize(points);
        format.setFontWeight(weight);
        format.setForeground(colour);
        return format;
    }

    void add(const QString& text)
    {
        paragraph(text, 9, QFont::Normal, colours().text, 4);
        m_lead.reset();
    }
    void add(const ReportFigure& figure)
    {
        QTextCharFormat format;
        format.setObjectType(kFigureObject);
        format.setProperty(kFigureProperty, static_cast<int>(m_figures.size()));
        paragraph({}, 8, QFont::Normal, colours().muted, 8);
        m_cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
        m_figures << placed(std::exchange(m_heading, {}), figure);
        m_lead.reset();
    }
    void add(const ReportTable& table)
    {
        if (!table.caption.isEmpty())
            paragraph(table.caption, 8, QFont::Normal, colours().muted, 8);
        const int lead = std::exchange(m_lead, {}).value_or(m_cursor.block().position());
        QTextTableFormat format;
        format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
        format.setColumnWidthConstraints(widthsOf(table));
        format.setCellPadding(kCellPadding);
        format.setCellSpacing(0);
        format.setBorder(0);
        format.setHeaderRowCount(1);
        QTextTable* cells = m_cursor.insertTable(static_cast<int>(table.rows.size()) + 1,
                                                 static_cast<int>(table.columns.size()), format);
        fillRow(*cells, 0, table.columns, QFont::DemiBold, colours().muted);
        for (qsizetype r = 0; r < table.rows.size(); ++r)
            fillRow(*cells, static_cast<int>(r) + 1, table.rows[r], QFont::Normal, colours().text);
        const int lastKept = table.rows.size() <= kWholeTable ? cells->rows() - 1 : 1;
        m_keptTogether << KeptTogether{lead, cells->cellAt(lastKept, 0).firstPosition()};
        m_cursor.movePosition(QTextCursor::End);
        leaveGap();
    }
    /// The empty line that Qt keeps behind a table. Not a margin of the table: where that reaches the next
    /// page, the heads are repeated there with nothing below.
    void leaveGap()
    {
        QTextBlockFormat gap;
        gap.setLineHeight(kTableGap, QTextBlockFormat::FixedHeight);
        m_cursor.setBlockFormat(gap);
        m_isAfterTable = true;
    }
    QList<QTextLength> widthsOf(const ReportTable& table) const
    {
        QFont font = m_cursor.document()->defaultFont();
        font.setPointSizeF(kTablePoints);
        font.setWeight(QFont::DemiBold); // as the heads, so that they fit too
        const QFontMetricsF metrics(font);
        QList<QTextLength> widths;
        for (const double width : columnWidths(table, metrics, kCellPadding + 1, textArea().width()))
            widths << QTextLength(QTextLength::FixedLength, width);
        return widths;
    }
    static void fillRow(QTextTable& table, int row, const QStringList& texts, QFont::Weight weight,
                        const QColor& colour)
    {
        for (qsizetype c = 0; c < texts.size(); ++c) {
            QTextTableCell cell = table.cellAt(row, static_cast<int>(c));
            QTextTableCellFormat format;
            format.merge(characters(kTablePoints, weight, colour)); // an empty cell is as high as the others
            format.setBottomBorder(0.5);
            format.setBottomBorderBrush(colours().border);
            format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            cell.setFormat(format);
            cell.firstCursorPosition().insertText(texts[c], characters(kTablePoints, weight, colour));
        }
    }

    QTextCursor m_cursor;
    QList<PlacedFigure> m_figures;
    QString m_heading; ///< of a section whose first figure is still to come
    QList<KeptTogether> m_keptTogether;
    std::optional<int> m_lead; ///< heading above the next block
    bool m_isAfterTable = false;
};

/// Moves what would stand alone at the end of a page to the next one. From top to bottom, because each move
/// pushes what comes after it.
void keepTogether(QTextDocument& text, const QList<KeptTogether>& pairs)
{
    const auto pageOf = [&](int position) {
        const QRectF line = text.documentLayout()->blockBoundingRect(text.findBlock(position));
        return static_cast<int>(line.center().y() / text.pageSize().height());
    };
    for (const KeptTogether& pair : pairs) {
        if (pageOf(pair.lead) == pageOf(pair.row))
            continue;
        QTextBlockFormat onNextPage;
        onNextPage.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(text.findBlock(pair.lead)).mergeBlockFormat(onNextPage);
        // The whole of it: where Qt 6.4 lays only a part out again, it loses blocks between two tables.
        text.markContentsDirty(0, text.characterCount());
    }
}

} // namespace

PagedReport::PagedReport(const ReportDocument& document)
    : m_text(std::make_unique<QTextDocument>()), m_title(document.title)
{
    m_text->setDocumentMargin(0);
    // One unit is one point on every device.
    QFont font("Helvetica");
    font.setStyleHint(QFont::SansSerif);
    m_text->setDefaultFont(font);
    TextWriter writer(*m_text);
    writer.write(document);
    const QList<PlacedFigure> figures = writer.takeFigures();
    for (const PlacedFigure& figure : figures)
        m_captions << figure.heading << figure.caption;
    m_text->documentLayout()->registerHandler(kFigureObject, new FigureObject(figures, m_text.get()));
    m_text->setPageSize(textArea());
    keepTogether(*m_text, writer.keptTogether());
}

PagedReport::~PagedReport() = default;

QSizeF PagedReport::pageSize()
{
    return kPage;
}

int PagedReport::pageCount() const
{
    return m_text->pageCount();
}

QString PagedReport::text() const
{
    return m_text->toPlainText() + QLatin1Char('\n') + m_captions.join(QLatin1Char('\n'));
}

void PagedReport::paintPage(QPainter& painter, int index) const
{
    const QRectF view(QPointF(0, index * textArea().height()), textArea());
    painter.save();
    painter.translate(kMargin, kMargin - view.top());
    painter.setClipRect(view);
    QAbstractTextDocumentLayout::PaintContext context;
    context.clip = view;
    context.palette.setColor(QPalette::Text, coloursOf(ColourScheme::Light).text);
    m_text->documentLayout()->draw(&painter, context);
    painter.restore();

    QFont font = m_text->defaultFont();
    font.setPixelSize(kFooterPixels);
    painter.setFont(font);
    painter.setPen(coloursOf(ColourScheme::Light).muted);
    const QRectF footer(kMargin, kPage.height() - kMargin + 12, textArea().width(), 16);
    painter.drawText(footer, Qt::AlignLeft, m_title);
    painter.drawText(footer, Qt::AlignRight, QString("%1 / %2").arg(index + 1).arg(pageCount()));
}

} // namespace trainyard

#include "paged_report.moc"
