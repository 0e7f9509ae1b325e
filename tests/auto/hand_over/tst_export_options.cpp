#include <QTest>

#include <algorithm>

#include <CLI/CLI.hpp>

#include "engine/hand_over/options/export_command_line.h"

using namespace trainyard;

Q_DECLARE_METATYPE(trainyard::ModelExportOptions)

namespace {

/// Throws CLI::ParseError for arguments that the command refuses.
ModelExportOptions parsed(std::vector<std::string> arguments)
{
    CLI::App app;
    ModelExportOptions options;
    app.add_option("RUN", options.model);
    addModelExportOptions(app, options);
    std::ranges::reverse(arguments); // as CLI11 takes them
    app.parse(std::move(arguments));
    return options;
}

ModelExportOptions usual()
{
    ModelExportOptions options;
    options.model = "run-1";
    options.folder = "/models/bert";
    return options;
}

} // namespace

class TestExportOptions : public QObject {
    Q_OBJECT

private slots:
    void argumentsParseIntoTheSameOptions_data()
    {
        QTest::addColumn<ModelExportOptions>("options");
        QTest::addRow("usual ones") << usual();
        ModelExportOptions step = usual();
        step.step = 0;
        step.maxShard = "500 MiB";
        step.vocabulary = "/v/vocab.txt";
        step.cased = true;
        QTest::addRow("a step, cased") << step;
        ModelExportOptions best = usual();
        best.best = true;
        best.withoutTokenizer = true;
        QTest::addRow("the best, without tokenizer") << best;
        ModelExportOptions narrow = usual();
        narrow.type = "bfloat16";
        QTest::addRow("bfloat16") << narrow;
        ModelExportOptions adapters = usual();
        adapters.adapters = true;
        QTest::addRow("adapters") << adapters;
    }
    void argumentsParseIntoTheSameOptions()
    {
        QFETCH(ModelExportOptions, options);
        QVERIFY(parsed(modelExportArguments(options)) == options);
    }

    void aSlashBehindTheFolderIsNoPartOfItsName()
    {
        QVERIFY(parsed({"--hugging-face", "/models/bert//", "run-1"}) == usual());
    }

    void refusesWhatDoesNotGoTogether_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addRow("step and best") << QStringList{"--hf", "m", "--step", "3", "--best", "run"};
        QTest::addRow("vocabulary and none")
            << QStringList{"--hf", "m", "--vocab", "v", "--no-tokenizer", "run"};
        QTest::addRow("cased without vocabulary") << QStringList{"--hf", "m", "--cased", "run"};
        QTest::addRow("parts of adapters")
            << QStringList{"--hf", "m", "--adapters", "--max-shard", "1 GiB", "run"};
        QTest::addRow("no folder") << QStringList{"--best", "run"};
        QTest::addRow("unknown type") << QStringList{"--hf", "m", "--dtype", "int8", "run"};
        QTest::addRow("size without unit") << QStringList{"--hf", "m", "--max-shard", "5", "run"};
    }
    void refusesWhatDoesNotGoTogether()
    {
        QFETCH(QStringList, arguments);
        std::vector<std::string> words;
        for (const QString& word : arguments)
            words.push_back(word.toStdString());
        QVERIFY_THROWS_EXCEPTION(CLI::ParseError, parsed(words));
    }
};

QTEST_GUILESS_MAIN(TestExportOptions)
#include "tst_export_options.moc"
