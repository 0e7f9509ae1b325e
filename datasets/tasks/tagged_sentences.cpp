#include "datasets/tasks/tagged_sentences.h"

#include <fmt/format.h>

#include "datasets/input/table_file.h"
#include "datasets/input/text_lines.h"
#include "engine/base/counted.h"
#include "engine/base/file.h"
#include "engine/base/parsed_number.h"
#include "engine/base/utf8.h"
#include "engine/spec/bounded_json.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::vector<std::string> splitColumns(std::string_view line)
{
    // Words with blanks in them exist in files with tabs.
    const std::string_view separators = line.find('\t') == std::string_view::npos ? " " : "\t";
    std::vector<std::string> columns;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(separators), line.size());
        if (end > 0)
            columns.emplace_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return columns;
}

bool isNoWord(std::string_view line)
{
    return line.starts_with("-DOCSTART-") || line.starts_with("# ");
}

/// From 0; the word's is 0 and the tag's is that of the last one unless an option gives a number.
Result<std::size_t> columnIndex(const std::string& option, const char* name, std::size_t usual)
{
    if (option.empty())
        return usual;
    const auto number = parsedNumber<std::size_t>(option);
    if (!number || *number == 0)
        return badInput(fmt::format("{} {} is not the number of a column", name, option),
                        "files of tagged words have no header: give the number of the column, from 1");
    return *number - 1;
}

class SentenceReader {
public:
    SentenceReader(const TaskOptions& options, TaskExamples& examples)
        : m_options(options), m_examples(examples)
    {
    }

    Status readColumns(std::string_view text)
    {
        for (std::size_t line = 1; const auto content = takeLine(text); ++line) {
            if (isBlank(*content) || isNoWord(*content)) {
                endSentence();
                continue;
            }
            if (m_sentence.words.empty())
                m_sentence.line = line;
            TRAINYARD_TRY_STATUS(addWord(*content, line));
        }
        endSentence();
        return {};
    }

    Status readObjects(std::string_view text)
    {
        for (std::size_t line = 1; const auto content = takeLine(text); ++line) {
            if (!isBlank(*content))
                TRAINYARD_TRY_STATUS(readObject(*content, line));
        }
        return {};
    }

    Status readObject(std::string_view object, std::size_t line)
    {
        m_sentence.line = line;
        TRAINYARD_TRY_STATUS(addObject(object));
        endSentence();
        return {};
    }

private:
    Status addWord(std::string_view content, std::size_t line)
    {
        const std::vector<std::string> columns = splitColumns(content);
        TRAINYARD_TRY(const std::size_t word, columnIndex(m_options.text, "--text", 0));
        TRAINYARD_TRY(const std::size_t tag,
                      columnIndex(m_options.label, "--label", std::max<std::size_t>(columns.size(), 2) - 1));
        TaskExample place;
        place.file = static_cast<std::uint32_t>(m_examples.files.size() - 1);
        place.line = line;
        if (std::max(word, tag) >= columns.size())
            return m_examples.problemAt(place, std::to_string(std::max(word, tag) + 1), "is missing",
                                        "write the word and its tag, separated by a blank or a tab");
        TRAINYARD_TRY_STATUS(checkWidth(columns.size(), place));
        m_sentence.words.push_back(columns[word]);
        m_sentence.tags.push_back(columns[tag]);
        return {};
    }

    /// Of a line that lacks a column the last one would be taken for the tag.
    Status checkWidth(std::size_t columns, const TaskExample& place)
    {
        if (m_columns == 0)
            m_columns = columns;
        if (columns == m_columns || !m_options.label.empty())
            return {};
        return badInput(fmt::format("{}: line {} has {}, and those before have {}",
                                    m_examples.files[place.file].string(), place.line,
                                    counted(columns, "column"), m_columns),
                        "complete the line, or give the number of the column of the tags with --label");
    }

    Status addObject(std::string_view content)
    {
        m_sentence.file = static_cast<std::uint32_t>(m_examples.files.size() - 1);
        const auto object = parseBoundedJson(content);
        if (!object.ok() || !object->is_object())
            return badInput(fmt::format("{}: line {} is no JSON object",
                                        m_examples.files[m_sentence.file].string(), m_sentence.line),
                            "write one object on each line: {\"tokens\": [...], \"tags\": [...]}");
        const std::string words = m_options.text.empty() ? "tokens" : m_options.text;
        const bool hasEntities = !object->contains("tags") && object->contains("ner_tags");
        const std::string usualTags = hasEntities ? "ner_tags" : "tags";
        const std::string tags = m_options.label.empty() ? usualTags : m_options.label;
        TRAINYARD_TRY(m_sentence.words, textsIn(*object, words));
        TRAINYARD_TRY(m_sentence.tags, textsIn(*object, tags));
        if (m_sentence.words.size() != m_sentence.tags.size())
            return m_examples.problemAt(m_sentence, tags,
                                        fmt::format("has {} for {}", counted(m_sentence.tags.size(), "entry"),
                                                    counted(m_sentence.words.size(), "word")),
                                        "give every word one tag");
        return {};
    }

    Result<std::vector<std::string>> textsIn(const nlohmann::json& object, const std::string& key) const
    {
        const auto list = object.find(key);
        if (list == object.end() || !list->is_array())
            return m_examples.problemAt(m_sentence, key, "is missing, or no list",
                                        "name the lists with --text and --label, or write \"tokens\" and "
                                        "\"tags\"");
        std::vector<std::string> texts;
        for (const nlohmann::json& entry : *list) {
            const bool isText =
                entry.is_string() ? !isBlank(entry.get_ref<const std::string&>()) : entry.is_number();
            if (!isText)
                return m_examples.problemAt(m_sentence, key,
                                            fmt::format("entry {} is empty, or no text", texts.size() + 1),
                                            "write a text or a number for each word and each tag");
            texts.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
        }
        return texts;
    }

    void endSentence()
    {
        m_sentence.file = static_cast<std::uint32_t>(m_examples.files.size() - 1);
        m_sentence.group = m_examples.examples.size();
        if (!m_sentence.words.empty())
            m_examples.examples.push_back(std::move(m_sentence));
        m_sentence = {};
    }

    const TaskOptions& m_options;
    TaskExamples& m_examples;
    TaskExample m_sentence;
    std::size_t m_columns = 0; ///< of the lines before; 0: there is none
};

Status readRows(const fs::path& file, SentenceReader& reader)
{
    return readTableObjects(
        file, [&](std::string_view object, std::size_t row) { return reader.readObject(object, row); });
}

Status readLines(const fs::path& file, SentenceReader& reader)
{
    TRAINYARD_TRY(std::string text, readFile(file));
    repairUtf8(text);
    if (text.starts_with(kByteOrderMark))
        text.erase(0, kByteOrderMark.size());
    const std::string extension = file.extension();
    return extension == ".jsonl" || extension == ".json" ? reader.readObjects(text)
                                                         : reader.readColumns(text);
}

} // namespace

Status readTaggedSentences(const fs::path& file, const TaskOptions& options, TaskExamples& examples)
{
    examples.files.push_back(file);
    const std::size_t before = examples.examples.size();
    SentenceReader reader(options, examples);
    TRAINYARD_TRY_STATUS(isColumnTable(file) ? readRows(file, reader) : readLines(file, reader));
    if (examples.examples.size() == before)
        return badInput(file.string() + " has no sentence", "pass a file with tagged words");
    return {};
}

} // namespace trainyard
