#include "app/data/model/data_set_details.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include "app/base/display_text.h"
#include "app/data/model/preparation_counters.h"
#include "engine/base/json_problem.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

QString words(const char* text)
{
    return QCoreApplication::translate("DataSetDetails", text);
}

QString countText(std::uint64_t count)
{
    return displayCount(static_cast<qint64>(count));
}

QString textOf(const Json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? words("yes") : words("no");
    if (value.is_array()) {
        QStringList parts;
        for (const Json& each : value)
            parts << textOf(each);
        return parts.join(QStringLiteral(", "));
    }
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

/// Rows of a table of statistics; what was not counted is left out.
class StatisticsTable {
public:
    explicit StatisticsTable(const Json& manifest)
        : m_json(manifest.at("statistics")), m_isOfTask(manifest.contains("task"))
    {
        for (const Json& shard : manifest.at("shards"))
            m_rows += shard.at("rows").get<std::uint64_t>();
        m_room = static_cast<double>(m_rows) * manifest.at("sequence_length").get<double>();
    }

    TextTable make()
    {
        if (m_isOfTask)
            addExamples();
        else
            addText();
        addRows();
        addMasks();
        return {{words("Statistic"), words("Value"), words("Meaning")}, std::move(m_table)};
    }

private:
    double of(const char* name) const { return static_cast<double>(m_json.value(name, std::uint64_t{0})); }

    void add(const char* name, const QString& value, const char* meaning)
    {
        m_table.append({words(name), value, words(meaning)});
    }
    void addCount(const char* name, const char* field, const char* meaning)
    {
        add(name, countText(m_json.value(field, std::uint64_t{0})), meaning);
    }
    void addMean(const char* name, double sum, double count, const char* meaning)
    {
        if (count > 0)
            add(name, displayNumber(sum / count), meaning);
    }
    void addShare(const char* name, double some, double all, const char* meaning)
    {
        if (all > 0)
            add(name, displayPercent(some / all), meaning);
    }

    void addText()
    {
        addCount("Documents", "documents", "Articles with at least one sentence");
        addCount("Test documents", "test_documents", "Held out: none of their text is in a training shard");
        addCount("Sentences", "sentences", "In all documents, each counted once");
        addCount("Tokens", "tokens", "Word pieces in all documents, each counted once");
        addMean("Tokens per document", of("tokens"), of("documents"), "On average");
        addMean("Sentences per document", of("sentences"), of("documents"), "On average");
        addMean("Tokens per sentence", of("tokens"), of("sentences"), "On average");
    }
    void addExamples()
    {
        addCount("Examples", "documents", "Labelled sentences, pairs, questions or prompts");
        addCount("Test examples", "test_documents", "Held out: for evaluations alone");
        addCount("Tokens", "tokens", "Word pieces in all rows");
    }
    void addRows()
    {
        const auto rows = static_cast<double>(m_rows);
        if (of("row_tokens") == 0)
            return; // older than the figure
        addMean("Tokens per row", of("row_tokens"), rows, "On average, with special tokens, without padding");
        addShare("Full rows", of("full_rows"), rows, "Rows without padding");
        addShare("Padding", m_room - of("row_tokens"), m_room, "Share of token positions that are padding");
        if (m_isOfTask)
            return;
        addShare("Labelled random", of("random_next"), rows,
                 "Rows whose second segment does not follow the first; slightly over half is usual");
        addShare("From one sentence", of("single_sentence"), rows,
                 "Rows from one-sentence texts, whose second segment has to come from elsewhere");
    }
    void addMasks()
    {
        const double masked = of("masked");
        if (masked == 0 || of("row_tokens") == 0)
            return;
        addShare("Masked", masked, of("row_tokens"), "Share of the rows' tokens to be predicted");
        addShare("… shown as [MASK]", of("mask_token"), masked, "Target: 80 %");
        addShare("… left as they were", of("kept_token"), masked, "Target: 10 %");
        addShare("… replaced by a random word", of("random_token"), masked, "Target: 10 %");
    }

    const Json& m_json;
    bool m_isOfTask;
    std::uint64_t m_rows = 0;
    double m_room = 0; ///< tokens
    QList<QStringList> m_table;
};

TextTable settingsTable(const Json& manifest)
{
    TextTable table{{words("Setting"), words("Value")}, {}};
    const auto add = [&](const char* name, const Json& value) {
        const bool isEmpty = value.is_string() && value.get_ref<const std::string&>().empty();
        if (!isEmpty && !(value.is_array() && value.empty()))
            table.rows.append({words(name), oneLine(textOf(value))});
    };
    const auto addIfThere = [&](const Json& object, const char* field, const char* name) {
        if (object.contains(field))
            add(name, object[field]);
    };
    const Json& settings = manifest.at("settings");
    addIfThere(settings, "dumps", QT_TRANSLATE_NOOP("DataSetDetails", "Files"));
    addIfThere(settings, "format", QT_TRANSLATE_NOOP("DataSetDetails", "File format"));
    addIfThere(settings, "keep_headings", QT_TRANSLATE_NOOP("DataSetDetails", "Headings kept"));
    addIfThere(settings, "keep_lists", QT_TRANSLATE_NOOP("DataSetDetails", "Lists kept"));
    addIfThere(settings, "segmenter", QT_TRANSLATE_NOOP("DataSetDetails", "Sentence splitter"));
    addIfThere(settings, "punkt_sha256", QT_TRANSLATE_NOOP("DataSetDetails", "Punkt parameters, SHA-256"));
    addIfThere(settings, "tokenizer_profile", QT_TRANSLATE_NOOP("DataSetDetails", "Tokenizer"));
    addIfThere(settings, "cased", QT_TRANSLATE_NOOP("DataSetDetails", "Case kept"));
    add("Vocabulary, entries", manifest.at("vocabulary_size"));
    add("Vocabulary, SHA-256", manifest.at("vocabulary_sha256"));
    add("Sequence length", manifest.at("sequence_length"));
    add("Maximum masked positions", manifest.at("max_predictions"));
    addIfThere(settings, "objective", QT_TRANSLATE_NOOP("DataSetDetails", "Objective"));
    addIfThere(settings, "next_sentence", QT_TRANSLATE_NOOP("DataSetDetails", "Next sentence"));
    addIfThere(settings, "whole_words", QT_TRANSLATE_NOOP("DataSetDetails", "Whole words masked"));
    addIfThere(settings, "masked_share", QT_TRANSLATE_NOOP("DataSetDetails", "Share of tokens masked"));
    addIfThere(settings, "short_sequence_share", QT_TRANSLATE_NOOP("DataSetDetails", "Share of short rows"));
    addIfThere(settings, "dupe_factor", QT_TRANSLATE_NOOP("DataSetDetails", "Passes over the text"));
    addIfThere(settings, "test_fraction", QT_TRANSLATE_NOOP("DataSetDetails", "Share of test documents"));
    if (const auto task = manifest.find("task"); task != manifest.end()) {
        addIfThere(*task, "labels", QT_TRANSLATE_NOOP("DataSetDetails", "Labels"));
        addIfThere(*task, "held_out", QT_TRANSLATE_NOOP("DataSetDetails", "Test files"));
        if (task->value("doc_stride", 0) > 0)
            addIfThere(*task, "doc_stride", QT_TRANSLATE_NOOP("DataSetDetails", "Overlap of rows, tokens"));
    }
    addIfThere(settings, "provenance", QT_TRANSLATE_NOOP("DataSetDetails", "Provenance columns"));
    addIfThere(manifest, "seed", QT_TRANSLATE_NOOP("DataSetDetails", "Seed"));
    addIfThere(manifest, "tool_version", QT_TRANSLATE_NOOP("DataSetDetails", "Created by version"));
    return table;
}

TextTable shardTable(const Json& manifest)
{
    TextTable table{{words("Shard"), words("Split"), words("Rows"), words("SHA-256")}, {}};
    for (const Json& shard : manifest.at("shards"))
        table.rows.append({oneLine(textOf(shard.at("file"))),
                           shard.at("training").get<bool>() ? words("training") : words("test"),
                           countText(shard.at("rows").get<std::uint64_t>()),
                           oneLine(textOf(shard.at("sha256")))});
    return table;
}

DataSetDetails read(const Json& json)
{
    DataSetDetails details;
    json.at("sequence_length").get_to(details.sequenceLength);
    details.rowsByLength = json.at("statistics").value("length_histogram", std::vector<std::uint64_t>{});
    details.statistics = StatisticsTable(json).make();
    details.settings = settingsTable(json);
    details.counters = counterTable(json.value("counters", std::map<std::string, std::uint64_t>{}));
    details.shards = shardTable(json);
    details.nextSentence =
        QString::fromStdString(json.at("settings").value("next_sentence", std::string("random")));
    return details;
}

} // namespace

Result<DataSetDetails> readDataSetDetails(const QByteArray& manifest)
{
    const std::string text = manifest.toStdString();
    try {
        DataSetDetails details = read(Json::parse(text));
        details.manifest = manifest;
        return details;
    } catch (const Json::exception& problem) {
        return badInput("the manifest cannot be read: " + jsonProblem(problem, text));
    }
}

} // namespace trainyard
