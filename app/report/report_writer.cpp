#include "app/report/report_writer.h"

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPdfWriter>

#include "app/report/html_report.h"
#include "app/report/paged_report.h"
#include "app/report/text_report.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

QByteArray toPdf(const ReportDocument& document)
{
    constexpr int kDotsPerInch = 600;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(document.title);
    writer.setCreator("Trainyard");
    writer.setResolution(kDotsPerInch);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF());
    const PagedReport pages(document);
    QPainter painter(&writer);
    for (int page = 0; page < pages.pageCount(); ++page) {
        if (page > 0)
            writer.newPage();
        painter.save();
        painter.scale(kDotsPerInch / 72.0, kDotsPerInch / 72.0);
        pages.paintPage(painter, page);
        painter.restore();
    }
    painter.end();
    return buffer.data();
}

/// A report and the specification of its run may well have the same name.
bool isSpecification(const QString& file)
{
    QFile content(file);
    return content.open(QIODevice::ReadOnly) &&
           QJsonDocument::fromJson(content.readAll()).object().contains(QLatin1String("trainyard"));
}

} // namespace

QStringList reportFormats()
{
    return {"html", "pdf", "csv", "json"};
}

Status writeReport(const ReportDocument& document, const QString& file)
{
    const QString folder = QFileInfo(file).absolutePath();
    if (!QFileInfo(folder).isDir())
        return badInput(file.toStdString() + ": there is no folder " + folder.toStdString(),
                        "create it first, or choose another one");
    const QString ending = QFileInfo(file).suffix().toLower();
    if (ending == "json" && isSpecification(file))
        return badInput(file.toStdString() + " is a run specification, which the report would replace",
                        "choose another name");
    QByteArray content;
    if (ending == "html")
        content = toHtml(document).toUtf8();
    else if (ending == "pdf")
        content = toPdf(document);
    else if (ending == "csv")
        content = toCsv(document).toUtf8();
    else if (ending == "json")
        content = toJson(document);
    else
        return badInput(file.toStdString() + ": a report cannot be written as \"" + ending.toStdString() +
                            "\"",
                        "end the name with .html, .pdf, .csv or .json");
    return writeFileAtomically(
        file.toStdString(), std::string_view(content.constData(), static_cast<std::size_t>(content.size())));
}

Result<QStringList> writeReportInAllFormats(const ReportDocument& document, const QString& base)
{
    QStringList files;
    for (const QString& format : reportFormats()) {
        files << base + QLatin1Char('.') + format;
        TRAINYARD_TRY_STATUS(writeReport(document, files.last()));
    }
    return files;
}

} // namespace trainyard
