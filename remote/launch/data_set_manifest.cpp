#include "remote/launch/data_set_manifest.h"

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace {

constexpr int kVersion = 1; // datasets/shards/manifest.h

void addShards(const nlohmann::json& shards, DataSetManifest& manifest)
{
    manifest.shards = static_cast<int>(shards.size());
    for (const auto& shard : shards) {
        auto& rows = shard.at("training").get<bool>() ? manifest.trainingRows : manifest.testRows;
        rows += shard.at("rows").get<std::uint64_t>();
    }
}

DataSetManifest read(const nlohmann::json& json)
{
    DataSetManifest manifest;
    json.at("sequence_length").get_to(manifest.sequenceLength);
    json.at("max_predictions").get_to(manifest.maxPredictions);
    json.at("vocabulary_size").get_to(manifest.vocabularySize);
    manifest.vocabularySha256 = QString::fromStdString(json.at("vocabulary_sha256").get<std::string>());
    if (const auto settings = json.find("settings"); settings != json.end()) {
        manifest.objective = settings->value("objective", manifest.objective);
        manifest.nextSentence = settings->value("next_sentence", manifest.nextSentence);
    }
    if (const auto task = json.find("task"); task != json.end())
        manifest.labels = static_cast<int>(task->at("labels").size());
    const auto& statistics = json.at("statistics");
    statistics.at("documents").get_to(manifest.documents);
    statistics.at("tokens").get_to(manifest.tokens);
    manifest.rowTokens = statistics.value("row_tokens", std::uint64_t{0});
    addShards(json.at("shards"), manifest);
    return manifest;
}

} // namespace

std::optional<double> DataSetManifest::paddingShare() const
{
    const auto room = static_cast<double>(trainingRows + testRows) * sequenceLength;
    if (rowTokens == 0 || room <= 0)
        return std::nullopt;
    return 1 - static_cast<double>(rowTokens) / room;
}

DataSetShape DataSetManifest::shape() const
{
    return {vocabularySize, sequenceLength, trainingRows, paddingShare(), objective,
            nextSentence,   testRows,       labels,       maxPredictions, vocabularySha256.toStdString()};
}

std::string keptManifestName(int phase, std::size_t set)
{
    const std::string ofPhase = phase == 0 ? "" : "-" + std::to_string(phase + 1);
    const std::string ofSet = set == 0 ? "" : "-mix-" + std::to_string(set + 1);
    return "dataset" + ofPhase + ofSet + ".json";
}

Result<DataSetManifest> parseDataSetManifest(std::string_view text, const std::string& file)
{
    try {
        const auto json = nlohmann::json::parse(text);
        const int version = json.at("version").get<int>();
        if (version != kVersion)
            return badInput(file + ": version " + std::to_string(version) + " is not supported",
                            "prepare the data set again or use the matching version of Trainyard");
        return read(json);
    } catch (const nlohmann::json::exception& problem) {
        return badInput(file + ": " + jsonProblem(problem, text), "prepare the data set again");
    }
}

Result<std::vector<DataSetManifest>> readDataSetManifests(const DatasetSpec& dataset)
{
    std::vector<DataSetManifest> manifests;
    for (const MixedDataSet& set : dataset.sets()) {
        TRAINYARD_TRY(DataSetManifest manifest, readDataSetManifest(QString::fromStdString(set.path)));
        manifests.push_back(std::move(manifest));
    }
    return manifests;
}

std::vector<DataSetShape> shapesOf(const std::vector<DataSetManifest>& manifests)
{
    std::vector<DataSetShape> shapes;
    for (const DataSetManifest& manifest : manifests)
        shapes.push_back(manifest.shape());
    return shapes;
}

Result<DataSetManifest> readDataSetManifest(const QString& folder)
{
    const std::string file = folder.toStdString() + "/manifest.json";
    const auto text = readFile(file);
    if (!text.ok())
        return badInput(text.error().message,
                        "the folder is not a finished data set; `trainyard prepare` makes one");
    return parseDataSetManifest(*text, file);
}

} // namespace trainyard
