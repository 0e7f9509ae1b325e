#include "app/base/help_topics.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "engine/spec/field_reader.h"

namespace trainyard {

namespace {

void printTopics()
{
    QList<QStringList> pages{{QObject::tr("topic"), QObject::tr("about")}};
    QStringList terms;
    for (const HelpTopic& topic : helpTopics()) {
        if (topic.isTerm)
            terms << topic.name;
        else
            pages << QStringList{topic.name, topic.title};
    }
    console::print(console::table(pages));
    console::print(QObject::tr("\nTerms: %1").arg(terms.join(QStringLiteral(", "))));
    console::print(
        QObject::tr("\n`trainyard help TOPIC` prints one; `trainyard COMMAND --help` explains a command."));
}

Error noSuchTopic(const QString& name)
{
    std::vector<std::string> names;
    for (const HelpTopic& topic : helpTopics())
        names.push_back(topic.name.toStdString());
    const std::string nearest = nearestName(name.toStdString(), names);
    return badInput("there is no help on \"" + name.toStdString() + "\"",
                    nearest.empty() ? "`trainyard help` lists all topics"
                                    : "did you mean `trainyard help " + nearest + "`?");
}

/// A topic with these words where there is just one; a command by its name.
Status printHelpOn(const CLI::App& app, const QString& name)
{
    if (const auto topic = helpTopic(name)) {
        console::print(topic->text.trimmed());
        return {};
    }
    const auto isMeant = [&](const CLI::App* command) { return command->get_name() == name.toStdString(); };
    for (const CLI::App* command : app.get_subcommands(isMeant)) {
        console::print(QString::fromStdString(command->help("trainyard " + name.toStdString())).trimmed());
        return {};
    }
    const QList<HelpTopic> found = helpTopicsWith(name);
    if (found.isEmpty())
        return noSuchTopic(name);
    for (const HelpTopic& topic : found)
        console::print(topic.name + QStringLiteral(": ") + topic.title);
    return {};
}

} // namespace

void addHelpCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand("help", "Explain a topic, a term or a command");
    command->add_option("TOPIC", *words, "Topic, term or command (default: lists them)");
    command->callback([&app, &outcome, words] {
        QStringList parts;
        for (const std::string& word : *words)
            parts << QString::fromStdString(word);
        if (parts.isEmpty())
            printTopics();
        else
            outcome.status = console::exitWith(printHelpOn(app, parts.join(QLatin1Char(' '))));
    });
}

} // namespace trainyard
