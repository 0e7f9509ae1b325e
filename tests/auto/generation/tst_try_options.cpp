#include <QTest>

#include <algorithm>
#include <limits>

#include <CLI/CLI.hpp>

#include "engine/generation/options/try_command_line.h"
#include "engine/generation/options/try_uses.h"

using namespace trainyard;

namespace {

/// Throws CLI::ParseError for arguments that the command refuses.
TryOptions parsed(std::vector<std::string> arguments)
{
    CLI::App app;
    TryOptions options;
    addTryOptions(app, options);
    std::ranges::reverse(arguments); // as CLI11 takes them
    app.parse(std::move(arguments));
    return options;
}

TryOptions ofModel(const std::string& text)
{
    TryOptions options;
    options.model = "/models/gpt";
    options.text = text;
    return options;
}

} // namespace

Q_DECLARE_METATYPE(trainyard::TryOptions)

class TestTryOptions : public QObject {
    Q_OBJECT

private slots:
    void argumentsParseIntoTheSameOptions_data()
    {
        QTest::addColumn<TryOptions>("options");
        QTest::addRow("usual ones") << ofModel("The first train");
        QTest::addRow("no text") << ofModel("");
        for (const char* text :
             {"--json", "- he said", "-1", "two\nlines", "[1,2]", "[[11]]", "{}", "\"it\""})
            QTest::addRow("text %s", text) << ofModel(text);
        TryOptions drawn = ofModel("a");
        drawn.step = 0;
        drawn.precision = "bfloat16";
        drawn.vocabulary = "/v/vocab.txt";
        drawn.cased = true;
        drawn.sampling = {0.1 + 0.2, 40, 0.95, std::numeric_limits<std::uint64_t>::max()};
        drawn.newTokens = 7;
        drawn.stop = true;
        drawn.answers = 12;
        drawn.maskToken = 103;
        drawn.json = drawn.stream = drawn.ignoreUnused = true;
        QTest::addRow("everything, drawn") << drawn;
        TryOptions greedy = ofModel("");
        greedy.tokenIds = "[[11]]";
        greedy.best = greedy.greedy = true;
        QTest::addRow("tokens, greedy") << greedy;
        for (const char* text : {"--json", "- he said", "two\nlines", "[1,2]", "a=b", "\"it\"", "="}) {
            TryOptions pair = ofModel("Who?");
            pair.pair = text;
            pair.noAnswer = true;
            QTest::addRow("pair %s", text) << pair;
        }
    }
    void argumentsParseIntoTheSameOptions()
    {
        QFETCH(TryOptions, options);
        QVERIFY(parsed(tryArguments(options)) == options);
    }

    void optionsAreForModelsWithAUseForThem_data()
    {
        using enum TrialUse;
        using Uses = QList<TrialUse>;
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<Uses>("users");
        for (const char* option : {"--greedy", "--temperature 0.5", "--top-k 3", "--top-p 0.5", "--seed 2",
                                   "--max-new 1", "--stop", "--json --stream"})
            QTest::addRow("%s", option) << QString(option).split(' ') << Uses{Continue};
        QTest::addRow("--mask-token") << QStringList{"--mask-token", "7"} << Uses{FillIn};
        QTest::addRow("--no-answer") << QStringList{"--no-answer"} << Uses{Answer};
        QTest::addRow("--answers") << QStringList{"--answers", "3"} << Uses{FillIn, Classify, Tag, Answer};
        QTest::addRow("of every model") << QStringList{"--precision", "float64", "--json"}
                                        << Uses{Continue, FillIn, Classify, Regress, Tag, Answer};
    }
    void optionsAreForModelsWithAUseForThem()
    {
        using enum TrialUse;
        QFETCH(QStringList, options);
        QFETCH(QList<TrialUse>, users);
        std::vector<std::string> words{"model", "text"};
        for (const QString& word : options)
            words.push_back(word.toStdString());
        TryOptions asked = parsed(words);
        for (const TrialUse use : {Continue, FillIn, Classify, Regress, Tag, Answer}) {
            const Status checked = checkTryUses(asked, use);
            QCOMPARE(checked.ok(), users.contains(use));
            if (!checked.ok())
                QVERIFY(checked.error().kind == ErrorKind::BadInput &&
                        checked.error().message.find("is for models that") != std::string::npos);
        }
        asked.ignoreUnused = true;
        for (const TrialUse use : {Continue, FillIn, Classify, Regress, Tag, Answer})
            QVERIFY(checkTryUses(asked, use).ok());
    }

    void nothingIsDrawnAtTemperature0()
    {
        QVERIFY(checkTryUses(parsed({"m", "t", "--temperature", "0"}), TrialUse::Continue).ok());
        const Status seed =
            checkTryUses(parsed({"m", "t", "--temperature", "0", "--seed", "4"}), TrialUse::Continue);
        QVERIFY(!seed.ok() && seed.error().message.starts_with("--seed has no effect"));
    }

    void aHeadDecidesTheUse()
    {
        QCOMPARE(trialUseOf(true, TaskKind::None), TrialUse::Continue);
        QCOMPARE(trialUseOf(false, TaskKind::None), TrialUse::FillIn);
        QCOMPARE(trialUseOf(true, TaskKind::Classify), TrialUse::Classify);
        QCOMPARE(trialUseOf(false, TaskKind::Answer), TrialUse::Answer);
    }

    void refusesNumbersThatAreNone_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("value");
        for (const char* value : {"nan", "-nan", "inf", "-0.1", "warm"})
            QTest::addRow("temperature %s", value) << "--temperature" << value;
        for (const char* value : {"nan", "1.1", "-1"})
            QTest::addRow("top p %s", value) << "--top-p" << value;
        for (const char* value : {"-1", "1.5", "18446744073709551616"})
            QTest::addRow("seed %s", value) << "--seed" << value;
        QTest::addRow("top k") << "--top-k"
                               << "-1";
        QTest::addRow("new tokens") << "--max-new"
                                    << "0";
        QTest::addRow("answers") << "--answers"
                                 << "0";
        QTest::addRow("precision") << "--precision"
                                   << "float8";
    }
    void refusesNumbersThatAreNone()
    {
        QFETCH(QString, option);
        QFETCH(QString, value);
        QVERIFY_THROWS_EXCEPTION(CLI::ParseError,
                                 parsed({option.toStdString() + "=" + value.toStdString(), "/models/gpt"}));
    }

    /// CLI11's own check names the largest double, in 309 digits.
    void saysWhichNumbersItTakes()
    {
        try {
            parsed({"--max-new=0", "/models/gpt"});
            QFAIL("0 was taken");
        } catch (const CLI::ParseError& error) {
            QCOMPARE(error.what(), "--max-new: 0 is not a whole number of at least 1");
        }
    }
};

QTEST_APPLESS_MAIN(TestTryOptions)
#include "tst_try_options.moc"
