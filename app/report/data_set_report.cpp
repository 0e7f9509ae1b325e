#include "app/report/data_set_report.h"

#include <cmath>
#include <numeric>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

QString verdictOf(const DataSetFindings& findings)
{
    if (!findings.rows)
        return QStringLiteral("not checked for this report: only the manifest was read");
    if (!findings.rows->ok())
        return "could not be checked: " + oneLine(QString::fromStdString(findings.rows->error().text()));
    const VerifyReport& report = **findings.rows;
    return report.sound ? QStringLiteral("valid: every invariant of rows and manifest holds")
                        : QStringLiteral("damaged");
}

ReportSection summaryOf(const DataSetFindings& findings)
{
    ReportSection section{"Summary",
                          {ReportTable{{},
                                       {"property", "value"},
                                       {{"host", oneLine(findings.host)},
                                        {"folder", oneLine(findings.folder)},
                                        {"check", verdictOf(findings)}}}}};
    if (findings.rows && findings.rows->ok()) {
        ReportTable problems{"Problems", {"problem"}, {}};
        for (const QString& problem : (*findings.rows)->problems)
            problems.rows << QStringList{oneLine(problem)};
        if (!problems.rows.isEmpty())
            section.blocks << problems;
    }
    return section;
}

ReportSection contentOf(const DataSetFindings& findings)
{
    ReportSection section{"Contents", {captioned({}, findings.details.statistics)}};
    if (findings.rows && findings.rows->ok() && !(*findings.rows)->tokens.rows.isEmpty())
        section.blocks << captioned("Text tokens in the rows", (*findings.rows)->tokens);
    return section;
}

/// As the rows were counted: length l is in bar (l - 1) * bars / sequence length.
ReportSection lengthsOf(const DataSetDetails& details)
{
    const auto rows =
        std::accumulate(details.rowsByLength.begin(), details.rowsByLength.end(), std::uint64_t{0});
    if (rows == 0)
        return {};
    ReportFigure figure{"Row lengths, including special tokens but not padding", "tokens, at most",
                        "rows (%)"};
    ReportLayer layer{"rows", coloursOf(ColourScheme::Light).accent, {}};
    const auto bars = static_cast<double>(details.rowsByLength.size());
    for (std::size_t i = 0; i < details.rowsByLength.size(); ++i) {
        figure.bars << QString::number(std::ceil(details.sequenceLength * static_cast<double>(i + 1) / bars));
        layer.values << 100.0 * static_cast<double>(details.rowsByLength[i]) / static_cast<double>(rows);
    }
    figure.layers << layer;
    return {"Lengths", {figure}};
}

/// "[MASK]" -> "MASK": brackets would stand within the braces.
QString seenInstead(const SampleToken& token)
{
    return token.text == QLatin1String("[MASK]") ? QStringLiteral("MASK") : token.text;
}

/// The words as the model shall predict them, what it sees instead of a masked one in braces behind it.
QString wordsOf(const SampleRow& row)
{
    QString words;
    int segment = 0;
    for (const SampleToken& token : row.tokens) {
        if (token.segment != segment)
            words += QStringLiteral(" ‖");
        segment = token.segment;
        if (token.isContinuation() && !token.isMasked() && !words.isEmpty())
            words += token.text.mid(2);
        else
            words += (words.isEmpty() ? QString() : QStringLiteral(" ")) +
                     (token.isMasked() ? QStringLiteral("%1 {%2}").arg(token.original, seenInstead(token))
                                       : token.text);
    }
    return oneLine(words);
}

ReportSection samplesOf(const DataSetFindings& findings)
{
    if (!findings.rows || !findings.rows->ok() || (*findings.rows)->samples.empty())
        return {};
    ReportTable table{"Rows as words; braces after a masked word show the token that replaces it; ‖ "
                      "separates the two parts of a pair",
                      {"shard", "row", "second part", "words"},
                      {}};
    for (const SampleRow& row : (*findings.rows)->samples)
        table.rows << QStringList{oneLine(row.shard), QString::number(row.row),
                                  !row.isPair()    ? QStringLiteral("none")
                                  : row.randomNext ? QStringLiteral("random")
                                                   : QStringLiteral("follows"),
                                  wordsOf(row)};
    return {"Samples", {table}};
}

ReportSection tableSection(const QString& title, const TextTable& table)
{
    return table.rows.isEmpty() ? ReportSection{} : ReportSection{title, {captioned({}, table)}};
}

} // namespace

ReportDocument buildDataSetReport(const DataSetFindings& findings)
{
    const QString name = findings.folder.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty);
    ReportDocument document{"Data set " + oneLine(name), oneLine(findings.host + ":" + findings.folder), {}};
    for (const ReportSection& section :
         {summaryOf(findings), contentOf(findings), lengthsOf(findings.details), samplesOf(findings),
          tableSection("Found and filtered out", findings.details.counters),
          tableSection("Preparation", findings.details.settings),
          tableSection("Shards", findings.details.shards)}) {
        if (!section.blocks.isEmpty())
            document.sections << section;
    }
    return document;
}

} // namespace trainyard
