#include "app/data/sample_html.h"

#include <utility>

#include <QCoreApplication>

namespace trainyard {

namespace {

bool isSpecial(const SampleToken& token)
{
    return token.text == QLatin1String("[CLS]") || token.text == QLatin1String("[SEP]") ||
           token.text == QLatin1String("[PAD]");
}

QString span(const QString& text, const QColor& colour, const QColor& background, const char* extra = "")
{
    return QStringLiteral("<span style=\"color:%1;background-color:%2;%3\">%4</span>")
        .arg(colour.name(), background.name(), QLatin1String(extra), text);
}

QString maskedHtml(const SampleToken& token, const ThemeColours& colours)
{
    const QString seen =
        token.text == token.original ? QCoreApplication::translate("SampleHtml", "kept") : token.text;
    return span(token.original.toHtmlEscaped(), colours.warningText, colours.warningTint,
                "font-weight:600;") +
           span(QStringLiteral("\u200a←\u200a") + seen.toHtmlEscaped(), colours.muted, colours.warningTint,
                "font-size:11px;");
}

QColor backgroundOf(const SampleToken& token, const ThemeColours& colours)
{
    return token.isTarget ? colours.warningTint : token.segment == 0 ? colours.raised : colours.accentTint;
}

QString tokenHtml(const SampleToken& token, const ThemeColours& colours)
{
    if (token.isMasked())
        return maskedHtml(token, colours);
    const QColor text = isSpecial(token) ? colours.muted
                        : token.isTarget ? colours.warningText
                                         : colours.text;
    const QString shown = token.isContinuation() ? token.text.mid(2) : token.text;
    return span(shown.toHtmlEscaped(), text, backgroundOf(token, colours));
}

QString tagHtml(const QString& tag, const ThemeColours& colours)
{
    if (tag.isEmpty())
        return {};
    return span(QStringLiteral("\u200a") + tag.toHtmlEscaped(), colours.warningText, colours.warningTint,
                "font-size:11px;");
}

/// The gap between two words of one segment is tinted too, so that a segment reads as one band; pieces of one
/// word stand together.
QString gapBetween(const SampleToken* before, const SampleToken& token, const ThemeColours& colours)
{
    if (!before)
        return {};
    if (before->segment != token.segment)
        return QStringLiteral("<br>");
    if (token.isContinuation() && !token.isMasked() && !before->isMasked())
        return {};
    const bool inTarget = before->isTarget && token.isTarget;
    return span(QStringLiteral(" "), colours.text,
                inTarget             ? colours.warningTint
                : token.segment == 0 ? colours.raised
                                     : colours.accentTint);
}

} // namespace

QString sampleHtml(const SampleRow& row, const ThemeColours& colours)
{
    QString html = QStringLiteral("<p style=\"line-height:165%\">");
    const SampleToken* before = nullptr;
    QString tag; // of the word, behind its last piece
    for (const SampleToken& token : row.tokens) {
        if (!token.isContinuation())
            html += tagHtml(std::exchange(tag, {}), colours);
        html += gapBetween(before, token, colours);
        html += tokenHtml(token, colours);
        if (!token.label.isEmpty())
            tag = token.label;
        before = &token;
    }
    return html + tagHtml(tag, colours) + QStringLiteral("</p>");
}

QString sampleLegendHtml(const SampleRow& row, const ThemeColours& colours)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("SampleHtml", text); };
    const QString gap = QStringLiteral(" &nbsp; ");
    QString legend = row.isPair()
                         ? span(tr("&nbsp;segment A&nbsp;"), colours.text, colours.raised) + gap +
                               span(tr("&nbsp;segment B&nbsp;"), colours.text, colours.accentTint) + gap
                         : span(tr("&nbsp;text&nbsp;"), colours.text, colours.raised) + gap;
    if (row.hasMasks())
        legend += span(tr("&nbsp;to predict"), colours.warningText, colours.warningTint, "font-weight:600;") +
                  span(tr("&nbsp;← what the model sees&nbsp;"), colours.muted, colours.warningTint);
    if (row.hasTargets())
        legend +=
            span(row.task == "answer" ? tr("&nbsp;answer&nbsp;") : tr("&nbsp;completion, to predict&nbsp;"),
                 colours.warningText, colours.warningTint);
    if (row.hasTags())
        legend += span(tr("&nbsp;label of the word before&nbsp;"), colours.warningText, colours.warningTint);
    return legend;
}

} // namespace trainyard
