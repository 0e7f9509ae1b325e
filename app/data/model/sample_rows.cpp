#include "app/data/model/sample_rows.h"

#include <algorithm>

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include "app/base/display_text.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace {

QString textAt(const nlohmann::json& json, const char* key)
{
    return QString::fromStdString(json.at(key).get<std::string>());
}

SampleToken readToken(const nlohmann::json& json)
{
    const bool masked = json.contains("original");
    return {textAt(json, "text"), masked ? textAt(json, "original") : QString(),
            json.at("segment").get<int>(),
            json.contains("label") ? oneLine(textAt(json, "label")) : QString(), json.value("target", false)};
}

SampleRow readRow(const nlohmann::json& json)
{
    SampleRow row;
    row.shard = textAt(json, "shard");
    row.row = json.at("row").get<std::uint64_t>();
    row.randomNext = json.contains("random_next") && json["random_next"].get<bool>();
    for (const auto& token : json.at("tokens"))
        row.tokens.push_back(readToken(token));
    row.task = json.value("task", std::string());
    if (json.contains("label"))
        row.label = oneLine(textAt(json, "label"));
    return row;
}

QString problemText(const nlohmann::json& violation)
{
    return QStringLiteral("%1: %2").arg(textAt(violation, "file"), textAt(violation, "problem"));
}

QString words(const char* text)
{
    return QCoreApplication::translate("VerifyReport", text);
}

QString pieceText(const nlohmann::json& piece)
{
    return QStringLiteral("%1 %2 %").arg(oneLine(textAt(piece, "piece")),
                                         QString::number(piece.at("percent").get<double>(), 'g', 3));
}

/// The most frequent piece as the value, the next ones as what there is to say of it.
void addFrequent(const nlohmann::json& pieces, TextTable& table)
{
    QStringList parts;
    for (const auto& piece : pieces)
        parts << pieceText(piece);
    if (!parts.isEmpty())
        table.rows.append({words("Most frequent"), parts.takeFirst(),
                           words("Share of tokens; next: %1").arg(parts.join(QStringLiteral("  ·  ")))});
}

TextTable readTokenFacts(const nlohmann::json& json)
{
    TextTable table{{words("Statistic"), words("Value"), words("Meaning")}, {}};
    const auto statistics = json.find("statistics");
    if (statistics == json.end() || !statistics->contains("text_tokens"))
        return table;
    table.rows.append(
        {words("Unknown words"),
         QString::number(statistics->at("unknown_percent").get<double>(), 'f', 2) + QStringLiteral(" %"),
         words("Share of [UNK] tokens; above 1 % the vocabulary does not fit the text")});
    table.rows.append({words("Vocabulary used"),
                       words("%1 of %2")
                           .arg(displayCount(statistics->at("pieces_used").get<qint64>()),
                                displayCount(json.at("vocabulary_size").get<qint64>())),
                       words("Entries occurring in the rows")});
    addFrequent(statistics->at("frequent_pieces"), table);
    return table;
}

} // namespace

bool SampleRow::hasMasks() const
{
    return std::ranges::any_of(tokens, &SampleToken::isMasked);
}

bool SampleRow::hasTargets() const
{
    return std::ranges::any_of(tokens, &SampleToken::isTarget);
}

bool SampleRow::hasTags() const
{
    return std::ranges::any_of(tokens, [](const SampleToken& token) { return !token.label.isEmpty(); });
}

Result<VerifyReport> parseVerifyReport(std::string_view text)
{
    try {
        const auto json = nlohmann::json::parse(text);
        VerifyReport report;
        report.sound = json.at("ok").get<bool>();
        report.tokens = readTokenFacts(json);
        for (const auto& violation : json.at("violations"))
            report.problems.push_back(problemText(violation));
        for (const auto& row : json.at("samples"))
            report.samples.push_back(readRow(row));
        return report;
    } catch (const nlohmann::json::exception& problem) {
        return failed("the verifier's answer cannot be read: " + jsonProblem(problem, text));
    }
}

} // namespace trainyard
