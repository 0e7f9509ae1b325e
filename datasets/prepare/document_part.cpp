#include "datasets/prepare/document_part.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "datasets/prepare/checked_options.h"
#include "datasets/prepare/corpus_stages.h"
#include "datasets/prepare/folder_inputs.h"
#include "datasets/prepare/output_place.h"
#include "datasets/prepare/row_tokenizer_choice.h"
#include "datasets/prepare/staged_folder.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kVersion = 2; // since 2 with the bytes of the text
constexpr const char* kSeal = "sha256";

/// First id of documents without an id in a part. They are identified by their number in the corpus, which a
/// part does not know; joining the parts renumbers them.
constexpr std::uint64_t kNumbered = std::uint64_t{1} << 63;

/// Calls visit(name, member) for every plain field, so that reading and writing cannot drift apart.
template <typename Part, typename Visit>
void visitPart(Part& part, Visit visit)
{
    visit("settings", part.settings);
    visit("dumps", part.dumps);
    visit("documents_read", part.documentsRead);
    visit("format", part.corpus.format);
    visit("documents", part.corpus.documents.documents);
    visit("sentences", part.corpus.documents.sentences);
    visit("tokens", part.corpus.documents.tokens);
    visit("bytes", part.corpus.documents.bytes);
    visit("counters", part.corpus.counters);
}

template <typename File, typename Visit>
void visitFile(File& file, Visit visit)
{
    visit("name", file.name);
    visit("bytes", file.bytes);
    visit("sha256", file.sha256);
}

/// Replaces invalid UTF-8, which file names may contain.
std::string textOf(const Json& json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Returns the hash of everything else in the file.
std::string sealOf(Json json)
{
    json.erase(kSeal);
    return sha256Hex(textOf(json, -1));
}

DocumentPart parse(const Json& json)
{
    DocumentPart part;
    part.corpus.complete = true;
    visitPart(part, [&](const char* name, auto& member) { json.at(name).get_to(member); });
    for (const Json& item : json.at("files"))
        visitFile(part.files.emplace_back(),
                  [&](const char* name, auto& member) { item.at(name).get_to(member); });
    return part;
}

std::string yesOrNo(bool value)
{
    return value ? "yes" : "no";
}

/// Returns all settings on which the documents depend, without the input files.
std::map<std::string, std::string> settingsOf(const PrepareOptions& options, const RowTokenizer& tokenizer)
{
    const char* const option = tokenizer.isTokenizerJson() ? "--tokenizer" : "--vocab";
    return {{"program", TRAINYARD_VERSION},
            {"--format", std::string(nameOf(options.format))},
            {"--headings", yesOrNo(options.keepHeadings)},
            {"--lists", yesOrNo(options.keepLists)},
            {"--punkt", options.punktSha256},
            {"--text", options.task.text},
            {"--profile", options.profile},
            {"--cased", yesOrNo(options.cased)},
            {option, tokenizer.vocabulary.sha256()}};
}

Result<std::vector<DocumentPart::File>> filesIn(const fs::path& folder)
{
    std::set<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        paths.insert(entry.path());
    std::vector<DocumentPart::File> files;
    for (const fs::path& path : paths) {
        TRAINYARD_TRY(std::string hash, sha256OfFile(path));
        files.push_back({path.filename(), fs::file_size(path), std::move(hash)});
    }
    return files;
}

Status checkSettings(const DocumentPart& part, const std::map<std::string, std::string>& wanted)
{
    for (const auto& [option, value] : wanted) {
        const auto found = part.settings.find(option);
        if (found == part.settings.end() || found->second != value)
            return badInput(
                fmt::format("{} was \"{}\" for the documents and is \"{}\" here", option,
                            found == part.settings.end() ? "" : found->second, value),
                "create all parts and the data set with the same options, vocabulary and program");
    }
    return {};
}

Status checkFiles(const DocumentPart& part, const fs::path& folder)
{
    for (const DocumentPart::File& file : part.files) {
        const auto hash = isPlainName(file.name) ? sha256OfFile(folder / file.name)
                                                 : Result<std::string>(badInput("not a plain file name"));
        if (!hash.ok() || *hash != file.sha256)
            return badInput(fmt::format("{} does not match its recorded checksum", file.name),
                            "copy or create the folder again");
    }
    return {};
}

TokenizedDocument copyOf(const DocumentStore& documents, std::uint32_t ordinal, std::uint64_t before)
{
    const Document document = documents.document(ordinal);
    const std::uint64_t id = documents.pageId(ordinal);
    TokenizedDocument copy{(id & kNumbered) != 0 ? (id & ~kNumbered) + before : id, {}, {}};
    copy.tokens.reserve(document.tokens.size());
    for (std::size_t i = 0; i < document.tokens.size(); ++i)
        copy.tokens.push_back(document.tokens[i]);
    copy.sentenceEnds.assign(document.sentenceEnds.begin(), document.sentenceEnds.end());
    copy.textBytes = document.textBytes;
    return copy;
}

/// Adds the names in "mediawiki" or "jsonl+mediawiki" to `all`.
void addFormats(std::set<std::string>& all, const std::string& formats)
{
    std::size_t begin = 0;
    while (begin <= formats.size()) {
        const std::size_t end = std::min(formats.find('+', begin), formats.size());
        all.insert(formats.substr(begin, end - begin));
        begin = end + 1;
    }
}

/// Joins the names in the order that a single reading uses.
std::string formatText(const std::set<std::string>& formats)
{
    std::string text;
    for (const std::string_view name : kEnumNames<CorpusFormat>) {
        if (formats.contains(std::string(name)))
            text.append(text.empty() ? "" : "+").append(name);
    }
    return text;
}

} // namespace

Result<DocumentPart> DocumentPart::load(const fs::path& folder)
{
    const fs::path file = folder / kFileName;
    const auto text = readFile(file);
    if (!text.ok())
        return badInput(
            text.error().message,
            "the folder contains no finished documents; `trainyard-prepare documents` creates them");
    try {
        const Json json = Json::parse(*text);
        if (const int version = json.at("version").get<int>(); version != kVersion)
            return badInput(fmt::format("{}: version {}, this program reads version {}", file.string(),
                                        version, kVersion),
                            "create the documents again with this program");
        if (json.at(kSeal) != sealOf(json))
            return badInput(file.string() + " does not match its recorded checksum",
                            "copy or create the folder again");
        return parse(json);
    } catch (const Json::exception& problem) {
        return badInput(fmt::format("{}: {}", file.string(), jsonProblem(problem, *text)),
                        "create the documents again");
    }
}

std::string DocumentPart::toJson() const
{
    Json json{{"version", kVersion}};
    visitPart(*this, [&](const char* name, const auto& member) { json[name] = member; });
    json["files"] = Json::array();
    for (const File& file : files) {
        Json item;
        visitFile(file, [&](const char* name, const auto& member) { item[name] = member; });
        json["files"].push_back(std::move(item));
    }
    json[kSeal] = sealOf(json);
    return textOf(json, 2) + "\n";
}

Result<DocumentPart> prepareDocuments(const PrepareOptions& options, Progress& progress,
                                      const CancelFlag& cancel)
{
    TRAINYARD_TRY(const PrepareOptions expanded, withFilesOfFolders(options, progress));
    TRAINYARD_TRY(PrepareOptions checked, checkedOptions(expanded));
    TRAINYARD_TRY_STATUS(checkFree(checked.out));
    TRAINYARD_TRY(const RowTokenizer tokenizer, loadTokenizerFor(checked));
    DocumentPart part;
    part.settings = settingsOf(checked, tokenizer);
    auto folder = StagedFolder::create(checked.out);
    if (!folder.ok())
        return folder.error().in("--out");
    TRAINYARD_TRY(DocumentStore documents,
                  DocumentStore::create(folder->content(), tokenizer.vocabulary.size()));
    const CorpusPosition begin{.documents = kNumbered};
    const auto count = [&](const CorpusPosition& reached) -> Status {
        part.documentsRead = reached.documents - begin.documents;
        return {};
    };
    checked.saveEvery = std::chrono::milliseconds(0); // save() must also report the last document
    TRAINYARD_TRY(part.corpus.format,
                  tokenizeDumps(checked, tokenizer, begin, count, progress, cancel, documents));
    TRAINYARD_TRY(part.corpus.documents, documents.commit());
    TRAINYARD_TRY_STATUS(documents.seal());
    part.corpus.complete = true;
    part.corpus.counters = progress.counters();
    for (const fs::path& dump : checked.dumps)
        part.dumps.push_back(dump.filename());
    TRAINYARD_TRY(part.files, filesIn(folder->content()));
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder->content() / DocumentPart::kFileName, part.toJson()));
    TRAINYARD_TRY_STATUS(cancel.check());
    TRAINYARD_TRY_STATUS(folder->publish());
    return part;
}

Result<std::vector<DocumentPart>> loadParts(const PrepareOptions& options, const RowTokenizer& tokenizer)
{
    const auto wanted = settingsOf(options, tokenizer);
    std::vector<DocumentPart> parts;
    for (const fs::path& folder : options.parts) {
        TRAINYARD_TRY(DocumentPart part, DocumentPart::load(folder));
        if (const Status fits = checkSettings(part, wanted); !fits.ok())
            return fits.error().in(folder.string());
        parts.push_back(std::move(part));
    }
    return parts;
}

Result<CorpusNote> joinParts(const PrepareOptions& options, const RowTokenizer& tokenizer, Progress& progress,
                             const CancelFlag& cancel, DocumentStore& documents)
{
    TRAINYARD_TRY(const auto parts, loadParts(options, tokenizer));
    CorpusNote all;
    all.complete = true;
    std::set<std::string> formats;
    std::uint64_t before = 0;
    std::uint64_t tokens = 0;
    for (const DocumentPart& part : parts)
        tokens += part.corpus.documents.tokens;
    progress.start(Stage::Tokens, tokens);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const DocumentPart& part = parts[i];
        const fs::path& folder = options.parts[i];
        if (const Status intact = checkFiles(part, folder); !intact.ok())
            return intact.error().in(folder.string());
        TRAINYARD_TRY(const DocumentStore store,
                      DocumentStore::open(folder, tokenizer.vocabulary.size(), part.corpus.documents));
        for (std::uint32_t ordinal = 0; ordinal < store.size(); ++ordinal) {
            TRAINYARD_TRY_STATUS(cancel.check());
            TRAINYARD_TRY_STATUS(documents.append(copyOf(store, ordinal, before), i));
            progress.advance(Stage::Tokens, store.length(ordinal));
        }
        before += part.documentsRead;
        addFormats(formats, part.corpus.format);
        for (const auto& [name, count] : part.corpus.counters)
            all.counters[name] += count;
    }
    progress.finish(Stage::Tokens);
    all.format = formatText(formats);
    TRAINYARD_TRY(all.documents, documents.commit());
    return all;
}

} // namespace trainyard
