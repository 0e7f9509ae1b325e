#include "app/models/sample_rows.h"

#include <nlohmann/json.hpp>

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
            json.at("segment").get<int>()};
}

SampleRow readRow(const nlohmann::json& json)
{
    SampleRow row;
    row.shard = textAt(json, "shard");
    row.row = json.at("row").get<std::uint64_t>();
    row.randomNext = json.at("random_next").get<bool>();
    for (const auto& token : json.at("tokens"))
        row.tokens.push_back(readToken(token));
    return row;
}

QString problemText(const nlohmann::json& violation)
{
    return QStringLiteral("%1: %2").arg(textAt(violation, "file"), textAt(violation, "problem"));
}

} // namespace

Result<VerifyReport> parseVerifyReport(std::string_view text)
{
    try {
        const auto json = nlohmann::json::parse(text);
        VerifyReport report;
        report.sound = json.at("ok").get<bool>();
        for (const auto& violation : json.at("violations"))
            report.problems.push_back(problemText(violation));
        for (const auto& row : json.at("samples"))
            report.samples.push_back(readRow(row));
        return report;
    } catch (const nlohmann::json::exception& problem) {
        return failed(std::string("the verifier's answer cannot be read: ") + problem.what());
    }
}

} // namespace trainyard
