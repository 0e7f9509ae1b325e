#include "app/base/help_topics.h"

#include <algorithm>

#include "app/base/display_text.h"
#include "app/base/embedded_help.h"

namespace trainyard {

namespace {

/// Another file comes after these.
constexpr const char* kOrder[] = {"first-run", "hosts",  "data",     "layouts", "memory",
                                  "runs",      "models", "keyboard", "glossary"};

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

constexpr QLatin1String kGlossary("glossary");

std::size_t placeOf(const HelpTopic& topic)
{
    return std::size_t(std::ranges::find(kOrder, topic.name, [](const char* name) { return QString(name); }) -
                       kOrder);
}

/// The lines from a heading to the next one of its level.
QList<HelpTopic> termsOf(const QString& glossary)
{
    QList<HelpTopic> terms;
    for (const QString& section : glossary.split(QStringLiteral("\n## ")).mid(1)) {
        const QString title = section.section(QLatin1Char('\n'), 0, 0);
        const QString name = title.toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
        terms << HelpTopic{name, title, QStringLiteral("# ") + section, true};
    }
    return terms;
}

QList<HelpTopic> readTopics()
{
    QList<HelpTopic> topics;
    QList<HelpTopic> terms;
    for (const EmbeddedFile& file : embeddedHelp()) {
        const QString text = textOf(file.content);
        topics << HelpTopic{textOf(file.name), text.section(QLatin1Char('\n'), 0, 0).mid(2), text};
        if (topics.last().name == kGlossary)
            terms = termsOf(text);
    }
    std::ranges::stable_sort(topics, {}, placeOf);
    return topics + terms;
}

} // namespace

const QList<HelpTopic>& helpTopics()
{
    static const QList<HelpTopic> kTopics = readTopics();
    return kTopics;
}

QList<HelpTopic> helpTopicsWith(const QString& words)
{
    const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QList<HelpTopic> inTitle;
    QList<HelpTopic> inText;
    for (const HelpTopic& topic : helpTopics()) {
        if (hasAllWords(topic.name + QLatin1Char(' ') + topic.title, parts))
            inTitle << topic;
        else if (topic.name != kGlossary && hasAllWords(topic.text, parts)) // its terms are found one by one
            inText << topic;
    }
    return inTitle + inText;
}

std::optional<HelpTopic> helpTopic(const QString& name)
{
    const auto found = std::ranges::find_if(helpTopics(), [&](const HelpTopic& topic) {
        return topic.name.compare(name, Qt::CaseInsensitive) == 0 ||
               topic.title.compare(name, Qt::CaseInsensitive) == 0;
    });
    return found == helpTopics().end() ? std::nullopt : std::optional(*found);
}

} // namespace trainyard
