#include "datasets/prepare/job_text.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/input/indexed_dataset.h"
#include "datasets/tokenizer_json/row_tokenizer.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Format version of the temporary files; increased with each change.
constexpr int kLayout = 3;

Json versionOf(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) // a pipe: nobody else will read the same from it
        return fmt::format("{} of process {} at {}", file.string(), ::getpid(),
                           std::chrono::system_clock::now().time_since_epoch().count());
    const auto changed = fs::last_write_time(file, ignored).time_since_epoch().count();
    return {{"file", fs::absolute(file, ignored).string()},
            {"bytes", fs::file_size(file, ignored)},
            {"changed", changed}};
}

Json versionsIn(const fs::path& folder)
{
    std::set<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        files.insert(entry.path());
    Json versions = Json::array();
    for (const fs::path& file : files)
        versions.push_back(versionOf(file));
    return versions;
}

/// With the files beside it that may name special tokens.
Json versionsOfTokenizer(const fs::path& file)
{
    Json versions = Json::array({versionOf(file)});
    for (const char* const name : RowTokenizer::kSmallFiles) {
        std::error_code ignored;
        if (const fs::path beside = file.parent_path() / name; fs::exists(beside, ignored))
            versions.push_back(versionOf(beside));
    }
    return versions;
}

Json corpusOf(const PrepareOptions& o)
{
    Json json{{"format", nameOf(o.format)}, {"headings", o.keepHeadings}, {"lists", o.keepLists},
              {"profile", o.profile},       {"cased", o.cased},           {"train_vocab", o.trainVocabulary}};
    for (const fs::path& file : o.dumps) {
        json["files"].push_back(versionOf(file));
        std::error_code ignored;
        if (file.extension() == ".idx" && fs::exists(idsBeside(file), ignored))
            json["files"].push_back(versionOf(idsBeside(file)));
    }
    for (const fs::path& folder : o.parts)
        json["documents"].push_back(versionsIn(folder));
    if (!o.task.text.empty())
        json["text"] = o.task.text;
    if (o.trainTokenizer > 0)
        json["train_tokenizer"] = o.trainTokenizer;
    else if (!o.tokenizer.empty())
        json["tokenizer"] = versionsOfTokenizer(o.tokenizer);
    else if (o.trainVocabulary == 0)
        json["vocab"] = versionOf(o.vocabulary);
    if (!o.punkt.empty())
        json["punkt"] = versionsIn(o.punkt);
    return json;
}

Json rowsOf(const PrepareOptions& o)
{
    const InstanceSettings& rows = o.instances;
    Json json{{"seed", rows.seed},
              {"objective", nameOf(rows.objective)},
              {"next_sentence", nameOf(rows.nextSentence)},
              {"whole_words", rows.wholeWords},
              {"masked_share", rows.maskedShare},
              {"short_sequence_share", rows.shortSequenceShare},
              {"dupe", o.dupeFactor},
              {"weights", o.weights},
              {"sources", o.weights.empty() ? std::vector<std::size_t>() : o.sources},
              {"shards", o.trainingShards},
              {"test_shards", o.testShards},
              {"test_fraction", o.testFraction},
              {"provenance", o.extra.provenance},
              {"megatron", o.extra.megatron},
              {"mds", o.extra.mds},
              {"name", o.corpus}};
    for (const RowShape& shape : o.shapes)
        json["shapes"].push_back({shape.sequenceLength, shape.maxPredictions});
    return json;
}

} // namespace

std::string jobText(const PrepareOptions& options)
{
    const Json json{{"layout", kLayout},
                    {"program", TRAINYARD_VERSION},
                    {"corpus", corpusOf(options)},
                    {"rows", rowsOf(options)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool canBeReadAgain(const PrepareOptions& options)
{
    return std::all_of(options.dumps.begin(), options.dumps.end(), [](const fs::path& file) {
        std::error_code ignored;
        return fs::is_regular_file(file, ignored);
    });
}

} // namespace trainyard
