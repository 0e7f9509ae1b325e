#include "datasets/tasks/squad_questions.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "datasets/input/text_lines.h"
#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "engine/spec/bounded_json.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr JsonLimits kSquadLimits{.values = 50'000'000}; ///< version 2.0 has about two million

/// SQuAD's own files are one line, so the place of a question is named by keys and its id; see lineOf().
struct QuestionPlace {
    std::string path; ///< "data[0].paragraphs[3].qas[1]"
    std::string id;

    std::string text() const { return id.empty() ? path : fmt::format("{} (id {})", path, id); }
};

Error wrongField(const QuestionPlace& place, std::string_view field, std::string_view problem,
                 const char* hint = "the file must have the layout of SQuAD 1.1 or 2.0")
{
    return badInput(fmt::format("{}: {} {}", place.text(), field, problem), hint);
}

Result<const Json*> listIn(const Json& object, const char* key, const QuestionPlace& place)
{
    const auto list = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || list == object.end() || !list->is_array())
        return wrongField(place, key, "is missing, or no list");
    return &*list;
}

Result<std::string> textIn(const Json& object, const char* key, const QuestionPlace& place)
{
    const auto text = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || text == object.end() || !text->is_string())
        return wrongField(place, key, "is missing, or no text");
    return text->get<std::string>();
}

/// The byte where a character begins; the size for the end and beyond.
std::size_t byteOfCharacter(std::string_view text, std::uint64_t character)
{
    std::size_t at = 0;
    for (; character > 0 && at < text.size(); --character)
        at += decodeUtf8(text, at).bytes;
    return at;
}

class SquadReader {
public:
    explicit SquadReader(TaskExamples& examples) : m_examples(examples) {}

    Status read(const Json& root)
    {
        TRAINYARD_TRY(const Json* articles, listIn(root, "data", {"the file", {}}));
        for (std::size_t i = 0; i < articles->size(); ++i) {
            const QuestionPlace place{fmt::format("data[{}]", i), {}};
            TRAINYARD_TRY(const Json* paragraphs, listIn((*articles)[i], "paragraphs", place));
            for (std::size_t j = 0; j < paragraphs->size(); ++j)
                TRAINYARD_TRY_STATUS(
                    readParagraph((*paragraphs)[j], fmt::format("{}.paragraphs[{}]", place.path, j)));
        }
        return {};
    }

    /// Id of the question that is read; empty between questions.
    const std::string& question() const { return m_question; }

private:
    Status readParagraph(const Json& paragraph, const std::string& path)
    {
        m_question.clear();
        TRAINYARD_TRY(const std::string context, textIn(paragraph, "context", {path, {}}));
        if (isBlank(context))
            return wrongField({path, {}}, "context", "is empty");
        TRAINYARD_TRY(const Json* questions, listIn(paragraph, "qas", {path, {}}));
        const std::uint64_t group = m_examples.examples.size();
        for (std::size_t i = 0; i < questions->size(); ++i) {
            TaskExample example;
            example.pair = context;
            example.group = group;
            example.file = static_cast<std::uint32_t>(m_examples.files.size() - 1);
            example.line = 1;
            TRAINYARD_TRY_STATUS(readQuestion((*questions)[i], fmt::format("{}.qas[{}]", path, i), example));
            m_examples.examples.push_back(std::move(example));
        }
        return {};
    }

    Status readQuestion(const Json& question, const std::string& path, TaskExample& example)
    {
        QuestionPlace place{path, {}};
        TRAINYARD_TRY(example.id, textIn(question, "id", place));
        place.id = m_question = example.id;
        TRAINYARD_TRY(example.text, textIn(question, "question", place));
        if (isBlank(example.text))
            return wrongField(place, "question", "is empty");
        TRAINYARD_TRY(const Json* answers, listIn(question, "answers", place));
        for (std::size_t i = 0; i < answers->size(); ++i)
            TRAINYARD_TRY_STATUS(addAnswer((*answers)[i], fmt::format("answers[{}]", i), place, example));
        const auto impossible = question.find("is_impossible");
        const bool mayLack = impossible != question.end() && *impossible == true;
        if (answers->empty() && !mayLack)
            return wrongField(place, "answers", "is empty, and is_impossible is not true");
        if (!answers->empty() && mayLack)
            return wrongField(place, "answers", "is not empty, and is_impossible is true",
                              "remove the answers, or set is_impossible to false");
        return {};
    }

    static Status addAnswer(const Json& json, const std::string& field, const QuestionPlace& place,
                            TaskExample& example)
    {
        GivenAnswer answer;
        TRAINYARD_TRY(answer.text, textIn(json, "text", {place.text() + ": " + field, {}}));
        const auto start = json.find("answer_start");
        if (start == json.end() || !start->is_number_unsigned())
            return wrongField(place, field + ".answer_start", "is missing, or no number of at least 0");
        answer.begin = byteOfCharacter(example.pair, start->get<std::uint64_t>());
        const std::string_view found =
            std::string_view(example.pair).substr(answer.begin, answer.text.size());
        if (found != answer.text || answer.text.empty())
            return wrongField(place, field,
                              fmt::format("says that \"{}\" is at character {} of the context, and \"{}\" is "
                                          "there",
                                          answer.text, start->get<std::uint64_t>(), found),
                              "correct answer_start, which counts characters from 0");
        example.answers.push_back(std::move(answer));
        return {};
    }

    TaskExamples& m_examples;
    std::string m_question;
};

/// Of a question by its id, from 1; nullopt where the text does not tell: in one line, or with that text
/// twice.
std::optional<std::size_t> lineOf(const std::string& id, std::string_view text)
{
    const std::string quoted = '"' + id + '"';
    const std::size_t at = id.empty() ? std::string_view::npos : text.find(quoted);
    if (at == std::string_view::npos || text.find(quoted, at + 1) != std::string_view::npos)
        return std::nullopt;
    const auto before = std::ranges::count(text.substr(0, at), '\n');
    const bool isOneLine = before == 0 && text.find('\n') == std::string_view::npos;
    return isOneLine ? std::nullopt : std::optional(static_cast<std::size_t>(before) + 1);
}

} // namespace

Status readSquadQuestions(const fs::path& file, TaskExamples& examples)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    const auto root = parseBoundedJson(text, kSquadLimits);
    if (!root.ok())
        return root.error().in(file.string());
    examples.files.push_back(file);
    const std::size_t before = examples.examples.size();
    SquadReader reader(examples);
    if (const Status status = reader.read(*root); !status.ok()) {
        const auto line = lineOf(reader.question(), text);
        return status.error().in(line ? fmt::format("{}: line {}", file.string(), *line) : file.string());
    }
    if (examples.examples.size() == before)
        return badInput(file.string() + " has no question", "pass a file in the layout of SQuAD");
    return {};
}

} // namespace trainyard
