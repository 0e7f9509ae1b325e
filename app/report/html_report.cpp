#include "app/report/html_report.h"

#include "app/report/figure_painter.h"

namespace trainyard {

namespace {

constexpr auto kStyle = R"(
:root { color-scheme: light dark; --text: #1b1f24; --muted: #5f6b7a; --panel: #ffffff; --window: #f7f8fa; --border: #dde1e6; }
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --muted: #9aa5b1; --panel: #1d2127; --window: #15181d; --border: #2e343c; }
  figure svg { filter: invert(1) hue-rotate(180deg); }
}
body { margin: 0; background: var(--window); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
main { max-width: 880px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 26px; margin: 0; }
h2 { font-size: 18px; margin: 32px 0 8px; }
.subtitle { color: var(--muted); margin: 4px 0 0; overflow-wrap: anywhere; }
figure, .table { margin: 12px 0; padding: 12px; background: var(--panel); border: 1px solid var(--border); border-radius: 6px; }
figure svg { width: 100%; height: auto; display: block; }
figcaption, caption { color: var(--muted); text-align: left; padding-bottom: 8px; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 16px 4px 0; border-bottom: 1px solid var(--border); vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--muted); font-weight: 600; }
tr:last-child td { border-bottom: 0; }
summary { cursor: pointer; }
summary h2 { display: inline-block; }
@page { size: A4; margin: 16mm; @bottom-right { content: counter(page) " / " counter(pages); font: 9px sans-serif; } }
@media print {
  body { background: none; font-size: 11px; }
  main { padding: 0; max-width: none; }
  figure, tr { break-inside: avoid; }
  figure, .table { border: 0; padding: 0; overflow: visible; }
  h2, figcaption, caption { break-after: avoid; }
  thead { display: table-header-group; }
}
)";

QString row(const QStringList& cells, const char* tag)
{
    QString html = "<tr>";
    for (const QString& cell : cells)
        html += QString("<%1>%2</%1>").arg(tag, cell.toHtmlEscaped());
    return html + "</tr>\n";
}

QString html(const QString& paragraph)
{
    return "<p>" + paragraph.toHtmlEscaped() + "</p>\n";
}

QString html(const ReportTable& table)
{
    QString text = "<div class=\"table\"><table>\n";
    if (!table.caption.isEmpty())
        text += "<caption>" + table.caption.toHtmlEscaped() + "</caption>\n";
    text += "<thead>" + row(table.columns, "th") + "</thead>\n<tbody>\n";
    for (const QStringList& cells : table.rows)
        text += row(cells, "td");
    return text + "</tbody>\n</table></div>\n";
}

QString html(const ReportFigure& figure)
{
    return "<figure>\n<figcaption>" + figure.caption.toHtmlEscaped() + "</figcaption>\n" +
           QString::fromUtf8(figureSvg(figure)) + "</figure>\n";
}

QString html(const ReportSection& section)
{
    const QString title = "<h2>" + section.title.toHtmlEscaped() + "</h2>";
    QString blocks;
    for (const ReportBlock& block : section.blocks)
        blocks += std::visit([](const auto& content) { return html(content); }, block);
    return section.isFolded
               ? "<section><details>\n<summary>" + title + "</summary>\n" + blocks + "</details></section>\n"
               : "<section>\n" + title + "\n" + blocks + "</section>\n";
}

} // namespace

QString toHtml(const ReportDocument& document)
{
    QString page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
                   document.title.toHtmlEscaped() + "</title>\n<style>" + kStyle +
                   "</style>\n</head>\n<body>\n<main>\n";
    page += "<h1>" + document.title.toHtmlEscaped() + "</h1>\n<p class=\"subtitle\">" +
            document.subtitle.toHtmlEscaped() + "</p>\n";
    for (const ReportSection& section : document.sections)
        page += html(section);
    return page + "</main>\n</body>\n</html>\n";
}

} // namespace trainyard
