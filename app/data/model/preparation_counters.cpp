#include "app/data/model/preparation_counters.h"

#include <QCoreApplication>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

struct PreparationCounters {
    const char* counter;
    const char* name;
    const char* meaning;
};

// In the order in which a text meets them.
constexpr PreparationCounters kWords[] = {
    {"pages", QT_TRANSLATE_NOOP("PreparationCounters", "Pages read"),
     QT_TRANSLATE_NOOP("PreparationCounters", "All pages or articles in the files")},
    {"documents_read", QT_TRANSLATE_NOOP("PreparationCounters", "Documents read"),
     QT_TRANSLATE_NOOP("PreparationCounters", "All documents in the files")},
    {"redirects", QT_TRANSLATE_NOOP("PreparationCounters", "Redirects"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Pages that only point to another page")},
    {"pages_of_other_namespaces", QT_TRANSLATE_NOOP("PreparationCounters", "Non-article pages"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Talk, user, template, category, help and similar pages")},
    {"pages_of_other_models", QT_TRANSLATE_NOOP("PreparationCounters", "Pages without wikitext"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Programs, style sheets and data stored as pages")},
    {"pages_deleted", QT_TRANSLATE_NOOP("PreparationCounters", "Deleted pages"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Their text is no longer in the dump")},
    {"pages_too_long", QT_TRANSLATE_NOOP("PreparationCounters", "Pages too long"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Over 64 MiB, more than any wiki allows: the file is damaged")},
    {"documents_too_long", QT_TRANSLATE_NOOP("PreparationCounters", "Documents too long"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Over 64 MiB: the file is probably not split into documents")},
    {"documents_without_text", QT_TRANSLATE_NOOP("PreparationCounters", "Documents without text"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Their text is missing or empty in the file")},
    {"characters_repaired", QT_TRANSLATE_NOOP("PreparationCounters", "Characters repaired"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Invalid UTF-8 bytes; each became U+FFFD")},
    {"repeated_page_ids", QT_TRANSLATE_NOOP("PreparationCounters", "Duplicate page ids"),
     QT_TRANSLATE_NOOP("PreparationCounters", "The same page may be in several files")},
    {"articles_without_text", QT_TRANSLATE_NOOP("PreparationCounters", "Articles without text"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Only lists, tables and templates: no sentence was left")},
    {"headings_dropped", QT_TRANSLATE_NOOP("PreparationCounters", "Headings"),
     QT_TRANSLATE_NOOP("PreparationCounters",
                       "Not running text, as in the original corpus; the option Headings keeps them")},
    {"list_items_dropped", QT_TRANSLATE_NOOP("PreparationCounters", "List items"),
     QT_TRANSLATE_NOOP("PreparationCounters",
                       "Not running text, as in the original corpus; the option Lists keeps them")},
    {"table_rows_dropped", QT_TRANSLATE_NOOP("PreparationCounters", "Table rows"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Cells are not sentences")},
    {"preformatted_lines_dropped", QT_TRANSLATE_NOOP("PreparationCounters", "Preformatted lines"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Program text, ASCII art and the like")},
    {"appendix_lines_dropped", QT_TRANSLATE_NOOP("PreparationCounters", "Appendix lines"),
     QT_TRANSLATE_NOOP("PreparationCounters", "References, external links, further reading and the like")},
    {"fragments_dropped", QT_TRANSLATE_NOOP("PreparationCounters", "Fragments"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Remainders of lines after removing a template or picture")},
    {"sentences_without_tokens", QT_TRANSLATE_NOOP("PreparationCounters", "Sentences without tokens"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Only characters that the tokenizer removes")},
    {"unknown_tokens", QT_TRANSLATE_NOOP("PreparationCounters", "Unknown tokens"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Words without matching word pieces; each became [UNK]")},
    {"tokens_after_the_last_row", QT_TRANSLATE_NOOP("PreparationCounters", "Tokens after the last row"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Too few to fill another row")},
    {"rows_cut", QT_TRANSLATE_NOOP("PreparationCounters", "Rows cut"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Texts longer than a row lost their end")},
    {"questions_without_answer", QT_TRANSLATE_NOOP("PreparationCounters", "Questions without answer"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Their text has none, as in SQuAD 2.0")},
    {"answers_without_token", QT_TRANSLATE_NOOP("PreparationCounters", "Answers without token"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Only characters that the tokenizer removes")},
    {"sentences_without_partner", QT_TRANSLATE_NOOP("PreparationCounters", "Unpaired sentences"),
     QT_TRANSLATE_NOOP("PreparationCounters", "Could not be paired: no other document to draw from")},
};

QString words(const char* text)
{
    return QCoreApplication::translate("PreparationCounters", text);
}

/// "pages_in_braces" -> "Pages in braces"
QString plainName(const std::string& counter)
{
    QString name = oneLine(QString::fromStdString(counter)).replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

QString countText(std::uint64_t count)
{
    return displayCount(static_cast<qint64>(count));
}

} // namespace

TextTable counterTable(const std::map<std::string, std::uint64_t>& counters)
{
    TextTable table{{words("Category"), words("Count"), words("Meaning")}, {}};
    auto rest = counters;
    for (const auto& [counter, name, meaning] : kWords) {
        if (const auto found = rest.find(counter); found != rest.end()) {
            table.rows.append({words(name), countText(found->second), words(meaning)});
            rest.erase(found);
        }
    }
    for (const auto& [counter, count] : rest)
        table.rows.append({plainName(counter), countText(count), {}});
    return table;
}

} // namespace trainyard
