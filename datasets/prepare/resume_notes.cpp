#include "datasets/prepare/resume_notes.h"

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Calls visit(name, member) for every field, so that reading and writing cannot drift apart.
template <typename Note, typename Visit>
requires std::is_same_v<std::remove_const_t<Note>, CorpusNote>
void visitFields(Note& note, Visit visit)
{
    visit("complete", note.complete);
    visit("format", note.format);
    visit("file", note.reached.file);
    visit("offset", note.reached.offset);
    visit("skip", note.reached.skip);
    visit("documents_read", note.reached.documents);
    visit("lines", note.reached.lines);
    visit("documents", note.documents.documents);
    visit("sentences", note.documents.sentences);
    visit("tokens", note.documents.tokens);
    visit("bytes", note.documents.bytes);
    visit("sources", note.documents.sources);
    visit("counters", note.counters);
}

template <typename Note, typename Visit>
requires std::is_same_v<std::remove_const_t<Note>, InstancesNote>
void visitFields(Note& note, Visit visit)
{
    visit("documents", note.documents);
    visit("buckets", note.buckets);
    visit("spill_bytes", note.spillBytes);
    visit("dropped", note.dropped);
}

template <typename Note>
Result<std::optional<Note>> loadNote(const fs::path& file)
{
    std::error_code error;
    if (!fs::exists(file, error))
        return std::optional<Note>();
    TRAINYARD_TRY(const std::string text, readFile(file));
    try {
        const Json json = Json::parse(text);
        Note note;
        visitFields(note, [&](const char* name, auto& member) { json.at(name).get_to(member); });
        return std::optional(std::move(note));
    } catch (const Json::exception& problem) {
        return failed(file.string() + ": " + jsonProblem(problem, text),
                      "run the command again; it will start from the beginning");
    }
}

template <typename Note>
Status saveNote(const Note& note, const fs::path& file)
{
    Json json;
    visitFields(note, [&](const char* name, const auto& member) { json[name] = member; });
    return writeFileAtomically(file, json.dump());
}

} // namespace

Result<std::optional<CorpusNote>> CorpusNote::load(const fs::path& file)
{
    return loadNote<CorpusNote>(file);
}
Status CorpusNote::save(const fs::path& file) const
{
    return saveNote(*this, file);
}

Result<std::optional<InstancesNote>> InstancesNote::load(const fs::path& file)
{
    return loadNote<InstancesNote>(file);
}
Status InstancesNote::save(const fs::path& file) const
{
    return saveNote(*this, file);
}

} // namespace trainyard
