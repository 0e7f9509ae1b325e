#include "datasets/shards/manifest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/shards/columns.h"
#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Calls visit(name, member) for every plain field, so that reading and writing cannot drift apart.
template <typename Settings, typename Visit>
void visitSettings(Settings& settings, Visit visit)
{
    visit("corpus", settings.corpus);
    visit("dumps", settings.dumps);
    visit("cased", settings.cased);
    visit("tokenizer_profile", settings.tokenizerProfile);
    visit("dupe_factor", settings.dupeFactor);
    visit("masked_share", settings.maskedShare);
    visit("short_sequence_share", settings.shortSequenceShare);
    visit("test_fraction", settings.testFraction);
}

/// Later than version 1 started: their defaults say what was done before.
template <typename Settings, typename Visit>
void visitLaterSettings(Settings& settings, Visit visit)
{
    visit("format", settings.format);
    visit("keep_headings", settings.keepHeadings);
    visit("keep_lists", settings.keepLists);
    visit("segmenter", settings.segmenter);
    visit("punkt_sha256", settings.punktSha256);
    visit("objective", settings.objective);
    visit("next_sentence", settings.nextSentence);
    visit("whole_words", settings.wholeWords);
    visit("provenance", settings.provenance);
}

template <typename Tokenizer, typename Visit>
void visitTokenizer(Tokenizer& tokenizer, Visit visit)
{
    visit("files", tokenizer.files);
    visit("special", tokenizer.special);
}

template <typename Task, typename Visit>
void visitTask(Task& task, Visit visit)
{
    visit("labels", task.labels);
    visit("held_out", task.heldOut);
    visit("doc_stride", task.docStride);
    visit("questions_file", task.questionsFile);
}

template <typename Task, typename Visit>
void visitLaterTask(Task& task, Visit visit)
{
    visit("questions_sha256", task.questionsSha256);
}

template <typename Statistics, typename Visit>
void visitStatistics(Statistics& statistics, Visit visit)
{
    visit("documents", statistics.documents);
    visit("test_documents", statistics.testDocuments);
    visit("sentences", statistics.sentences);
    visit("tokens", statistics.tokens);
    visit("row_tokens", statistics.rowTokens);
    visit("full_rows", statistics.fullRows);
    visit("random_next", statistics.randomNext);
    visit("single_sentence", statistics.singleSentence);
    visit("masked", statistics.masked);
    visit("mask_token", statistics.maskToken);
    visit("kept_token", statistics.keptToken);
    visit("random_token", statistics.randomToken);
    visit("length_histogram", statistics.lengthHistogram);
}

template <typename Entry, typename Visit>
void visitShard(Entry& shard, Visit visit)
{
    visit("file", shard.file);
    visit("rows", shard.rows);
    visit("sha256", shard.sha256);
    visit("training", shard.training);
}

/// Later than version 1 started.
template <typename Entry, typename Visit>
void visitText(Entry& shard, Visit visit)
{
    visit("tokens", shard.tokens);
    visit("text_bytes", shard.textBytes);
}

template <typename Entry, typename Visit>
void visitExport(Entry& entry, Visit visit)
{
    visit("file", entry.file);
    visit("bytes", entry.bytes);
    visit("sha256", entry.sha256);
}

template <typename Source, typename Visit>
void visitSource(Source& source, Visit visit)
{
    visit("weight", source.weight);
    visit("documents", source.documents);
    visit("tokens", source.tokens);
    visit("mixed_documents", source.mixedDocuments);
    visit("mixed_tokens", source.mixedTokens);
}

template <typename M, typename Visit>
void visitManifest(M& manifest, Visit visit)
{
    visit("version", manifest.version);
    visit("tool_version", manifest.toolVersion);
    visit("sequence_length", manifest.sequenceLength);
    visit("max_predictions", manifest.maxPredictions);
    visit("vocabulary_size", manifest.vocabularySize);
    visit("vocabulary_file", manifest.vocabularyFile);
    visit("vocabulary_sha256", manifest.vocabularySha256);
    visit("seed", manifest.seed);
    visit("counters", manifest.counters);
}

/// Reads named fields of a JSON object; at() throws with the field's name when one is missing.
auto readFrom(const Json& json)
{
    return [&json](const char* name, auto& member) { json.at(name).get_to(member); };
}

auto readIfThere(const Json& json)
{
    return [&json](const char* name, auto& member) {
        if (json.contains(name))
            json.at(name).get_to(member);
    };
}

auto writeTo(Json& json)
{
    return [&json](const char* name, const auto& member) { json[name] = member; };
}

Manifest parse(const Json& json)
{
    Manifest manifest;
    visitManifest(manifest, readFrom(json));
    visitSettings(manifest.settings, readFrom(json.at("settings")));
    visitLaterSettings(manifest.settings, readIfThere(json.at("settings")));
    visitStatistics(manifest.statistics, readFrom(json.at("statistics")));
    if (json.contains("tokenizer"))
        visitTokenizer(manifest.tokenizer, readFrom(json.at("tokenizer")));
    if (json.contains("task")) {
        visitTask(manifest.task, readFrom(json.at("task")));
        visitLaterTask(manifest.task, readIfThere(json.at("task")));
    }
    for (const Json& item : json.at("shards")) {
        visitShard(manifest.shards.emplace_back(), readFrom(item));
        visitText(manifest.shards.back(), readIfThere(item));
    }
    for (const Json& item : json.value("exports", Json::array())) // later than version 1 started
        visitExport(manifest.exports.emplace_back(), readFrom(item));
    for (const Json& item : json.value("sources", Json::array()))
        visitSource(manifest.sources.emplace_back(), readFrom(item));
    return manifest;
}

/// Plain names with '/' between them.
bool isPlainPath(std::string_view path)
{
    for (std::size_t slash; (slash = path.find('/')) != std::string_view::npos;
         path.remove_prefix(slash + 1)) {
        if (!isPlainName(path.substr(0, slash)))
            return false;
    }
    return isPlainName(path);
}

Status checkContent(const Manifest& manifest)
{
    const bool predicts = manifest.settings.objective != "gpt" && manifest.taskKind() == TaskKind::None;
    const bool shaped = manifest.sequenceLength >= 5 && manifest.sequenceLength <= kWidestColumn &&
                        manifest.maxPredictions >= 0 && manifest.maxPredictions < manifest.sequenceLength &&
                        (manifest.maxPredictions > 0) == predicts;
    if (!shaped || manifest.vocabularySize < 1)
        return badInput(fmt::format(
            "sequence_length {}, max_predictions {} and vocabulary_size {} are not a valid row shape",
            manifest.sequenceLength, manifest.maxPredictions, manifest.vocabularySize));
    if (!isPlainName(manifest.vocabularyFile))
        return badInput(
            fmt::format("the vocabulary's name \"{}\" is not a plain file name", manifest.vocabularyFile));
    for (const auto& [file, sha256] : manifest.tokenizer.files) {
        if (!isPlainName(file))
            return badInput(fmt::format("the tokenizer's file \"{}\" is not a plain file name", file));
    }
    const std::string& questions = manifest.task.questionsFile;
    if (!questions.empty() && !isPlainName(questions))
        return badInput(fmt::format("the name of the questions \"{}\" is not a plain file name", questions));
    for (const ShardEntry& shard : manifest.shards) {
        if (!isPlainName(shard.file))
            return badInput(fmt::format("the shard name \"{}\" is not a plain file name", shard.file));
    }
    for (const ExportEntry& entry : manifest.exports) {
        if (!isPlainPath(entry.file))
            return badInput(fmt::format("the exported file \"{}\" is not inside the folder", entry.file));
    }
    return {};
}

std::uint64_t rowsOf(const std::vector<ShardEntry>& shards, bool training)
{
    std::uint64_t rows = 0;
    for (const ShardEntry& shard : shards)
        rows += shard.training == training ? shard.rows : 0;
    return rows;
}

} // namespace

Result<Manifest> Manifest::load(const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / kFileName, ignored))
        return badInput((folder / kFileName).string() + ": there is no such file",
                        "the folder is not a finished data set; `trainyard prepare` creates one");
    return loadFile(folder / kFileName);
}

Result<Manifest> Manifest::loadFile(const fs::path& file)
{
    const auto content = readFile(file);
    if (!content.ok())
        return content.error();
    try {
        const Json json = Json::parse(content.value());
        const int version = json.at("version").get<int>();
        if (version != kVersion)
            return badInput(fmt::format("{}: version {}, this program reads version {}", file.string(),
                                        version, kVersion),
                            "prepare the data set again or use the matching version of the program");
        Manifest manifest = parse(json);
        if (const Status status = checkContent(manifest); !status.ok())
            return status.error().in(file.string());
        return manifest;
    } catch (const Json::exception& problem) {
        return badInput(fmt::format("{}: {}", file.string(), jsonProblem(problem, content.value())),
                        "prepare the data set again");
    }
}

std::string Manifest::toJson() const
{
    Json json;
    visitManifest(*this, writeTo(json));
    json["settings"] = Json::object();
    visitSettings(settings, writeTo(json["settings"]));
    visitLaterSettings(settings, writeTo(json["settings"]));
    if (hasTokenizerJson()) {
        json["tokenizer"] = Json::object();
        visitTokenizer(tokenizer, writeTo(json["tokenizer"]));
    }
    if (taskKind() != TaskKind::None) {
        json["task"] = Json::object();
        visitTask(task, writeTo(json["task"]));
        if (!task.questionsSha256.empty())
            visitLaterTask(task, writeTo(json["task"]));
    }
    json["statistics"] = Json::object();
    visitStatistics(statistics, writeTo(json["statistics"]));
    json["shards"] = Json::array();
    for (const ShardEntry& shard : shards) {
        Json item;
        visitShard(shard, writeTo(item));
        if (shard.textBytes > 0)
            visitText(shard, writeTo(item));
        json["shards"].push_back(std::move(item));
    }
    for (const ExportEntry& entry : exports) {
        Json item;
        visitExport(entry, writeTo(item));
        json["exports"].push_back(std::move(item));
    }
    for (const MixedSource& source : sources) {
        Json item;
        visitSource(source, writeTo(item));
        json["sources"].push_back(std::move(item));
    }
    // Names of dumps need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

TaskKind Manifest::taskKind() const
{
    return enumFromName<TaskKind>(settings.objective).value_or(TaskKind::None);
}

std::uint64_t Manifest::trainingRows() const
{
    return rowsOf(shards, true);
}

std::uint64_t Manifest::testRows() const
{
    return rowsOf(shards, false);
}

std::optional<double> Manifest::testBytesPerToken() const
{
    std::uint64_t bytes = 0;
    std::uint64_t tokens = 0;
    for (const ShardEntry& shard : shards) {
        if (shard.training)
            continue;
        if (shard.tokens == 0 || shard.textBytes == 0)
            return std::nullopt;
        bytes += shard.textBytes;
        tokens += shard.tokens;
    }
    return tokens > 0 ? std::optional(static_cast<double>(bytes) / static_cast<double>(tokens))
                      : std::nullopt;
}

} // namespace trainyard
