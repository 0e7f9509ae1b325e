#include <algorithm>
#include <map>
#include <set>

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

#include "app/cli/commands.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/file_content.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const QString kSources = QStringLiteral(TRAINYARD_SOURCE_DIR);

/// What the parser does instead of the command.
struct IsUnderstood {};

/// The command line, to see how calls are understood; nothing is done.
struct Parser {
    Parser()
    {
        addCommands(app, outcome);
        visit(app, [](CLI::App& command) { command.parse_complete_callback([] { throw IsUnderstood(); }); });
    }

    template <typename Visit>
    static void visit(CLI::App& command, const Visit& each)
    {
        each(command);
        for (CLI::App* own : command.get_subcommands([](const CLI::App*) { return true; }))
            visit(*own, each);
    }

    /// Empty, or why the parser refuses the words.
    QString parse(const QStringList& words)
    {
        std::vector<std::string> reversed;
        for (auto word = words.rbegin(); word != words.rend(); ++word)
            reversed.push_back(word->toStdString());
        try {
            app.parse(reversed);
        } catch (IsUnderstood) {
            return {};
        } catch (const CLI::ParseError& error) {
            return QString::fromStdString(error.what());
        }
        return "names no command";
    }

    CLI::App app{"", "trainyard"};
    CommandOutcome outcome;
};

/// "hosts add" with the words that lead to it.
QStringList pathOf(const CLI::App& command)
{
    return command.get_parent() ? pathOf(*command.get_parent()) + QStringList{command.get_name().c_str()}
                                : QStringList();
}

/// Commands whose options belong to a program of the nodes.
bool isPassedOn(const CLI::App& command)
{
    return command.get_allow_extras();
}

/// What somebody would type of a line of help: without the shell around it and the remark behind it.
QStringList callIn(const QString& line)
{
    static const QRegularExpression call("(?:^|[\\s(|])(trainyard(?:-prepare)? [a-z].*)$");
    static const QRegularExpression rest(" {2,}.*| [|>] .*| && .*|\\)$|; .*");
    const auto found = call.match(line);
    return found.hasMatch() ? QProcess::splitCommand(found.captured(1).remove(rest)) : QStringList();
}

QList<QStringList> callsIn(const QString& help)
{
    QList<QStringList> calls;
    for (const QString& line : help.split('\n')) {
        const QStringList call =
            line.startsWith("Usage:") || line.contains('`') ? QStringList() : callIn(line);
        if (!call.isEmpty())
            calls.append(call);
    }
    return calls;
}

const CLI::App& chosenIn(const CLI::App& app)
{
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : chosenIn(*chosen.front());
}

bool isAmongTheResults(const CLI::Option& option, const QString& word)
{
    const auto results = option.results();
    const auto is = [&](const QString& part) {
        return std::ranges::find(results, part.toStdString()) != results.end();
    };
    return is(word) || std::ranges::all_of(word.split(','), is);
}

const CLI::Option* optionCalled(const CLI::App& command, const QString& word)
{
    const auto options = command.get_options([&](const CLI::Option* option) {
        return option->nonpositional() && option->check_name(word.toStdString());
    });
    return options.empty() ? nullptr : options.front();
}

bool isTakenByAPositional(const CLI::App& command, const QString& word)
{
    const auto options = command.get_options([&](const CLI::Option* option) {
        return option->get_positional() && isAmongTheResults(*option, word);
    });
    return !options.empty();
}

/// Each word must have become what it looks like: an option, the value of the option before it, or something
/// that the command names without an option.
QString misunderstood(const CLI::App& command, const QStringList& words)
{
    const CLI::Option* before = nullptr;
    for (const QString& word : words) {
        const bool looksLikeOption = word.startsWith('-') && word != "-"; // which is standard output
        if (looksLikeOption) {
            before = optionCalled(command, word);
            if (!before || before->count() == 0)
                return word + " is no option of the command";
            continue;
        }
        const bool isValue =
            before && before->get_items_expected_max() > 0 && isAmongTheResults(*before, word);
        if (!isValue && !isTakenByAPositional(command, word))
            return word + " is not what the option or the place says";
    }
    return {};
}

/// A value that the option takes.
QString sampleFor(const CLI::Option& option)
{
    static const std::map<std::string, QString> special{{"efficiency", "0.8"}, {"max-shard", "5GiB"}};
    if (const auto known = special.find(option.get_single_name()); known != special.end())
        return known->second;
    const QString type = QString::fromStdString(option.get_type_name());
    if (const qsizetype list = type.indexOf('{'); list >= 0)
        return type.mid(list + 1).section(QRegularExpression("[,}]"), 0, 0);
    return type.startsWith("TEXT") ? "word" : "1";
}

QStringList valuesFor(const CLI::Option& option)
{
    const int least = std::max(option.get_items_expected_min(), option.get_items_expected_max() > 0 ? 1 : 0);
    return QStringList(least, sampleFor(option));
}

/// Adds the option, what it needs, and what that needs, which may be the option itself.
void addWithNeeds(const CLI::Option* option, std::set<const CLI::Option*>& all)
{
    if (!all.insert(option).second)
        return;
    for (const CLI::Option* needed : option->get_needs())
        addWithNeeds(needed, all);
}

/// A call with the option, what it needs, and what the command asks for in any case.
QStringList callWith(const CLI::App& command, CLI::Option* option)
{
    std::set<const CLI::Option*> needed;
    addWithNeeds(option, needed);
    QStringList named, placed;
    for (const CLI::Option* each : command.get_options()) {
        const bool isAskedFor =
            each->get_required() && !option->get_excludes().contains(const_cast<CLI::Option*>(each));
        if (!needed.contains(each) && !isAskedFor)
            continue;
        const std::string name = each->get_name();
        if (each->get_positional())
            placed << valuesFor(*each);
        else
            named << QString::fromStdString(name.substr(0, name.find(','))) << valuesFor(*each);
    }
    return pathOf(command) + placed + named;
}

/// An option or a positional as the help of a program of the nodes shows it: "--steps INT=20 Needs: --train".
struct ShownOption {
    QString name; ///< empty = positional
    QString signature;

    bool isRequired() const { return name.isEmpty() || signature.contains("REQUIRED"); }
    bool takesValue() const { return signature.contains(QRegularExpression("^(TEXT|U?INT|FLOAT)")); }
    QString needs() const { return signature.section("Needs: ", 1).section(' ', 0, 0); }
    /// The default, the first of those that are listed, or any.
    QString sample() const
    {
        for (const char* shown : {".*=\\[?([\\w.-]+)", " \\[(\\w+)\\]", "^TEXT:\\{?([\\w-]+)"}) {
            if (const auto found = QRegularExpression(shown).match(signature); found.hasMatch())
                return found.captured(1);
        }
        return signature.startsWith("TEXT") ? "word" : "1";
    }
    QStringList words() const
    {
        return (name.isEmpty() ? QStringList() : QStringList{name}) +
               (takesValue() ? QStringList{sample()} : QStringList());
    }
};

QList<ShownOption> optionsIn(const QString& help)
{
    static const QRegularExpression option("^  (?:-\\w,)?(--)?([\\w-]+)\\S* ?(\\S.*?)?(?:  .*)?$");
    QList<ShownOption> options;
    QStringList positionals;
    bool isList = false;
    for (const QString& line : help.split('\n')) {
        if (!line.startsWith(' '))
            isList = line == "Options:" || line == "Positionals:";
        const auto found = option.match(line);
        if (!isList || !found.hasMatch() || found.captured(2) == "help")
            continue;
        const bool isNamed = !found.captured(1).isEmpty();
        if (isNamed && positionals.contains(found.captured(2)))
            continue; // the same, given with a name
        if (!isNamed)
            positionals << found.captured(2);
        options.append({isNamed ? "--" + found.captured(2) : QString(), found.captured(3)});
    }
    return options;
}

/// What the command asks for and these options, each with what it needs.
QStringList callWith(const QList<ShownOption>& all, const QList<ShownOption>& chosen)
{
    const auto isWanted = [&](const ShownOption& each) {
        return each.isRequired() || std::ranges::any_of(chosen, [&](const ShownOption& one) {
                   return one.name == each.name || one.needs() == each.name;
               });
    };
    QStringList call;
    for (const ShownOption& each : all)
        call << (isWanted(each) ? each.words() : QStringList());
    return call;
}

/// Few calls that give each option once or more: all that go together, then each of the others.
QList<QStringList> callsWithAll(const QList<ShownOption>& options)
{
    QList<ShownOption> together;
    QList<QStringList> calls;
    for (const ShownOption& option : options) {
        if (option.signature.contains("Excludes:"))
            calls << callWith(options, {option});
        else
            together << option;
    }
    return calls << callWith(options, together);
}

} // namespace

// What the help of a command shows can be typed: every example of it, every option, and every command that a
// message advises.
class TestCommandLines : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(QDir().mkpath(m_cli.path("nothing")));
        QDir::setCurrent(m_cli.path("nothing"));
    }

    void everyExampleIsUnderstood_data()
    {
        QTest::addColumn<QStringList>("call");
        Parser parser;
        Parser::visit(parser.app, [](CLI::App& command) {
            for (const QStringList& call : callsIn(QString::fromStdString(command.help())))
                QTest::addRow("%s", qPrintable(call.join(' '))) << call;
        });
    }
    void everyExampleIsUnderstood()
    {
        QFETCH(QStringList, call);
        call.removeFirst();
        Parser parser;
        const QString refused = parser.parse(call);
        QVERIFY2(refused.isEmpty(), qPrintable(refused));
        const CLI::App& command = chosenIn(parser.app);
        if (isPassedOn(command))
            return; // its own help shows it again
        const QString wrong = misunderstood(command, call.mid(pathOf(command).size()));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void everyOptionTakesWhatItSays()
    {
        Parser commands;
        int options = 0;
        Parser::visit(commands.app, [&](CLI::App& command) {
            for (CLI::Option* option : command.get_options()) {
                if (option == command.get_help_ptr() || option == command.get_version_ptr())
                    continue;
                ++options;
                verifyOption(command, option);
            }
        });
        QVERIFY2(options > 100, qPrintable(QString::number(options)));
    }

    // The programs of the nodes print their own help, and have to understand it.
    void everyExampleOfTheNodesIsUnderstood_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command : {"prepare", "verify", "tokenize", "convert", "certify"})
            QTest::addRow("%s", command) << command;
    }
    void everyExampleOfTheNodesIsUnderstood()
    {
        QFETCH(QString, command);
        const CliResult help = m_cli.run({command, "--help"});
        QCOMPARE(help.status, 0);
        const auto calls = callsIn(help.out);
        QVERIFY2(!calls.isEmpty(), qPrintable(help.out));
        for (QStringList call : calls) {
            call.removeFirst();
            if (call.contains("--host"))
                continue; // understood here, above
            const CliResult result = m_cli.run(call);
            QVERIFY2(!result.err.contains("--help`"), qPrintable(call.join(' ') + ": " + result.err));
        }
    }

    void everyOptionOfTheNodesTakesWhatItSays_data() { everyExampleOfTheNodesIsUnderstood_data(); }
    void everyOptionOfTheNodesTakesWhatItSays()
    {
        QFETCH(QString, command);
        const auto options = optionsIn(m_cli.run({command, "--help"}).out);
        QVERIFY(options.size() >= 3);
        for (const QStringList& words : callsWithAll(options)) {
            const CliResult result = m_cli.run(QStringList{command} + words);
            QVERIFY2(result.status != 0 && !result.err.contains("--help`"),
                     qPrintable(words.join(' ') + ": " + result.err));
        }
    }

    void aModelIsHandedOnWordForWord_data()
    {
        QTest::addColumn<QStringList>("call");
        QTest::addColumn<QString>("handedOn");
        QTest::addRow("import") << QStringList{"import", "--hf", "bert-base", "--out", "checkpoint"}
                                << "import --hf bert-base --out checkpoint";
        QTest::addRow("export") << QStringList{"export", "--hf", "bert", "--max-shard", "2 GiB", "checkpoint"}
                                << "export --hf bert --max-shard 2 GiB -- checkpoint";
        QTest::addRow("eval") << QStringList{"eval", "bert", "--data", "set", "--batches", "4", "--json"}
                              << "eval --data set --batches 4 --json -- bert";
        QTest::addRow("eval, with a layout")
            << QStringList{"eval", "--layout", "spec.json", "--hf", "bert", "--inputs", "in", "--out", "out"}
            << "eval --inputs in --out out --layout spec.json -- bert";
        QTest::addRow("try") << QStringList{"try",         "gpt",     "--max-new", "16",
                                            "--token-ids", "[[5,7]]", "--greedy",  "--json"}
                             << "try --token-ids [[5,7]] --greedy --max-new 16 --json -- gpt";
        QTest::addRow("try, with a text") << QStringList{"try", "--top-k", "5", "--", "gpt", "- he said"}
                                          << "try --top-k 5 -- gpt - he said";
    }
    void aModelIsHandedOnWordForWord()
    {
        QFETCH(QStringList, call);
        QVERIFY(QDir().mkpath(m_cli.path("bin")));
        const QString program = m_cli.write("bin/trainyard-worker", "#!/bin/sh\necho \"$@\"\n");
        QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner));
        qputenv("TRAINYARD_BIN", m_cli.path("bin").toUtf8());
        for (const char* model : {"bert", "checkpoint", "gpt"}) // which only have to be there
            QVERIFY(QDir().mkpath(model));
        const CliResult result = m_cli.run(call);
        qunsetenv("TRAINYARD_BIN");
        QVERIFY2(result.status == 0, qPrintable(result.err));
        QTEST(result.out.trimmed(), "handedOn");
    }

    void everyAdviceNamesWhatThereIs()
    {
        int advice = 0;
        for (const char* folder : {"app", "engine", "datasets", "remote"}) {
            QDirIterator files(kSources + '/' + folder, {"*.cpp", "*.h"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext())
                advice += verifyAdviceIn(files.next());
        }
        QVERIFY2(advice > 50, qPrintable(QString::number(advice)));
    }

private:
    static void verifyOption(const CLI::App& command, CLI::Option* option)
    {
        const QStringList call = callWith(command, option);
        Parser parser;
        const QString refused = parser.parse(call);
        QVERIFY2(refused.isEmpty(), qPrintable(call.join(' ') + ": " + refused));
        const QString wrong = misunderstood(chosenIn(parser.app), call.mid(pathOf(command).size()));
        QVERIFY2(wrong.isEmpty(), qPrintable(call.join(' ') + ": " + wrong));
    }

    /// How many pieces of advice there were.
    static int verifyAdviceIn(const QString& file)
    {
        static const QRegularExpression joined("\"\\s*\\n\\s*\""), inserted("\"\\s*\\+[^\"]*\\+\\s*\""),
            command("`(trainyard [a-z][^`\n]*)`");
        QString text = QString::fromUtf8(support::contentOf(file));
        text.remove(joined).replace(inserted, "RUN");
        int advice = 0;
        for (auto found = command.globalMatch(text); found.hasNext(); ++advice) {
            const QString call = found.next().captured(1);
            const QString wrong = unknownIn(QProcess::splitCommand(call).mid(1));
            if (!wrong.isEmpty())
                QTest::qFail(qPrintable(file + ": `" + call + "`: " + wrong), __FILE__, __LINE__);
        }
        return advice;
    }

    static QString unknownIn(const QStringList& words)
    {
        static Parser parser;
        const CLI::App* command = &parser.app;
        for (const QString& word : words) {
            const auto own = command->get_subcommands(
                [&](const CLI::App* each) { return each->get_name() == word.toStdString(); });
            const bool isOption = word.startsWith('-') && word != "--help";
            if (!own.empty())
                command = own.front();
            else if (command == &parser.app && !isOption && word != "COMMAND")
                return "there is no command " + word;
            else if (isOption && !isPassedOn(*command) && !optionCalled(*command, word))
                return "there is no option " + word;
        }
        return {};
    }

    CliFixture m_cli;
};

QTEST_GUILESS_MAIN(TestCommandLines)
#include "tst_command_lines.moc"
