#include "datasets/tasks/squad_questions.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "datasets/input/table_file.h"
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

    /// A row of Hugging Face's data set.
    Status readRow(const Json& row, std::size_t number)
    {
        const std::string path = fmt::format("row {}", number);
        TaskExample example;
        TRAINYARD_TRY(example.pair, textIn(row, "context", {path, {}}));
        if (isBlank(example.pair))
            return wrongField({path, {}}, "context", "is empty");
        if (m_context != example.pair) { // rows of a context stand together
            m_context = example.pair;
            m_group = m_examples.examples.size();
        }
        example.group = m_group;
        example.file = static_cast<std::uint32_t>(m_examples.files.size() - 1);
        example.line = number;
        TRAINYARD_TRY(const Json question, withListedAnswers(row, path));
        TRAINYARD_TRY_STATUS(readQuestion(question, path, example));
        m_examples.examples.push_back(std::move(example));
        return {};
    }

    /// Id of the question that is read; empty between questions.
    const std::string& question() const { return m_question; }

private:
    /// {"text": [...], "answer_start": [...]} as a list of answers; one without any may lack them.
    static Result<Json> withListedAnswers(const Json& row, const std::string& path)
    {
        const auto answers = row.find("answers");
        if (answers == row.end() || !answers->is_object())
            return wrongField({path, {}}, "answers", "is missing, or no struct",
                              "it must have the lists text and answer_start");
        TRAINYARD_TRY(const Json* texts, listIn(*answers, "text", {path + ": answers", {}}));
        TRAINYARD_TRY(const Json* starts, listIn(*answers, "answer_start", {path + ": answers", {}}));
        if (texts->size() != starts->size())
            return wrongField({path, {}}, "answers", "has lists of different lengths");
        Json question = row;
        question["is_impossible"] = texts->empty();
        question["answers"] = Json::array();
        for (std::size_t i = 0; i < texts->size(); ++i)
            question["answers"].push_back({{"text", (*texts)[i]}, {"answer_start", (*starts)[i]}});
        return question;
    }

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
    std::string m_context; ///< of the last row
    std::uint64_t m_group = 0;
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

Status readJson(const fs::path& file, SquadReader& reader)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    const auto root = parseBoundedJson(text, kSquadLimits);
    if (!root.ok())
        return root.error().in(file.string());
    if (const Status status = reader.read(*root); !status.ok()) {
        const auto line = lineOf(reader.question(), text);
        return status.error().in(line ? fmt::format("{}: line {}", file.string(), *line) : file.string());
    }
    return {};
}

Status readTable(const fs::path& file, SquadReader& reader)
{
    return readTableObjects(file, [&](std::string_view object, std::size_t row) -> Status {
        TRAINYARD_TRY(const Json parsed, parseBoundedJson(object));
        const Status status = reader.readRow(parsed, row);
        return status.ok() ? status : Status(status.error().in(file.string()));
    });
}

} // namespace

Status readSquadQuestions(const fs::path& file, TaskExamples& examples)
{
    examples.files.push_back(file);
    const std::size_t before = examples.examples.size();
    SquadReader reader(examples);
    TRAINYARD_TRY_STATUS(isColumnTable(file) ? readTable(file, reader) : readJson(file, reader));
    if (examples.examples.size() == before)
        return badInput(file.string() + " has no question", "pass a file in the layout of SQuAD");
    return {};
}

} // namespace trainyard
