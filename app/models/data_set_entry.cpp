#include "app/models/data_set_entry.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

constexpr int kManifestVersion = 1; // datasets/shards/manifest.h

void readManifest(const nlohmann::json& json, DataSetEntry& entry)
{
    entry.sequenceLength = json.at("sequence_length").get<int>();
    entry.maxPredictions = json.at("max_predictions").get<int>();
    entry.vocabularySize = json.at("vocabulary_size").get<int>();
    entry.tokens = json.at("statistics").at("tokens").get<std::uint64_t>();
    entry.rows = entry.testRows = 0;
    entry.shards = static_cast<int>(json.at("shards").size());
    for (const auto& shard : json.at("shards")) {
        const auto rows = shard.at("rows").get<std::uint64_t>();
        entry.rows += rows;
        entry.testRows += shard.at("training").get<bool>() ? 0 : rows;
    }
}

} // namespace

QString nameOf(DataSetEntry::Check check)
{
    switch (check) {
    case DataSetEntry::Check::NotVerified:
        return QCoreApplication::translate("DataSetEntry", "○ not verified");
    case DataSetEntry::Check::Verifying:
        return QCoreApplication::translate("DataSetEntry", "⧖ verifying");
    case DataSetEntry::Check::Verified:
        return QCoreApplication::translate("DataSetEntry", "✓ verified");
    case DataSetEntry::Check::Damaged:
        break;
    }
    return QCoreApplication::translate("DataSetEntry", "✕ damaged");
}

Result<DataSetEntry> withManifest(DataSetEntry entry, std::string_view manifest)
{
    const std::string file = entry.folder.toStdString() + "/manifest.json";
    try {
        const auto json = nlohmann::json::parse(manifest);
        const int version = json.at("version").get<int>();
        if (version != kManifestVersion)
            return badInput(file + ": version " + std::to_string(version) + " is not known here",
                            "prepare the data set again or use the matching program");
        readManifest(json, entry);
        return entry;
    } catch (const nlohmann::json::exception& problem) {
        return badInput(file + ": " + problem.what(), "prepare the data set again");
    }
}

} // namespace trainyard
