#include <QTest>

#include <algorithm>

#include <CLI/CLI.hpp>

#include "engine/evaluation/options/eval_command_line.h"

using namespace trainyard;

namespace {

/// Throws CLI::ParseError for arguments that the command refuses.
EvalCommandLine parsed(std::vector<std::string> arguments)
{
    CLI::App app;
    EvalCommandLine options;
    addEvalOptions(app, options);
    std::ranges::reverse(arguments); // as CLI11 takes them
    app.parse(std::move(arguments));
    return options;
}

EvalCommandLine onDataSet()
{
    EvalCommandLine options;
    options.model = "/models/bert";
    options.dataSet = "/data/set";
    return options;
}

EvalCommandLine onInputs()
{
    EvalCommandLine options;
    options.model = "/models/bert";
    options.inputs = "in.safetensors";
    return options;
}

QString problemOf(const EvalCommandLine& options)
{
    const Status status = checkEvalOptions(options);
    return status.ok() ? QString() : QString::fromStdString(status.error().text());
}

} // namespace

Q_DECLARE_METATYPE(trainyard::EvalCommandLine)

class TestEvalCommandLine : public QObject {
    Q_OBJECT

private slots:
    void argumentsParseIntoTheSameOptions_data()
    {
        QTest::addColumn<EvalCommandLine>("options");
        QTest::addRow("a data set") << onDataSet();
        EvalCommandLine all = onDataSet();
        all.best = all.json = true;
        all.batches = 7;
        all.precision = "float64";
        all.layout = R"({"trainyard": 1, "layout": {"tensor": 2}})";
        QTest::addRow("a data set, everything") << all;
        EvalCommandLine step = onDataSet();
        step.step = 0;
        QTest::addRow("a step") << step;
        EvalCommandLine out = onInputs();
        out.out = "out.safetensors";
        out.layout = "spec.json";
        QTest::addRow("inputs") << out;
        EvalCommandLine train = onInputs();
        train.optimizer = "lamb";
        train.steps = 50;
        train.training.learningRate = 0.1 + 0.2;
        train.training.beta1 = 0.5;
        train.training.beta2 = 0.75;
        train.training.epsilon = 1e-6;
        train.training.weightDecay = 0;
        train.training.clipNorm = 2;
        QTest::addRow("training") << train;
    }
    void argumentsParseIntoTheSameOptions()
    {
        QFETCH(EvalCommandLine, options);
        QCOMPARE(problemOf(options), QString());
        QVERIFY(parsed(evalArguments(options)) == options);
    }

    void aFolderOfHuggingFaceIsAModel()
    {
        QVERIFY(parsed({"--hf", "/models/bert", "--data", "/data/set"}) == onDataSet());
    }

    void refusesWhatDoesNotGoTogether_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addRow("two models") << QStringList{"a", "--hf", "b", "--data", "d"};
        QTest::addRow("two inputs") << QStringList{"a", "--data", "d", "--inputs", "i"};
        QTest::addRow("a step and the best") << QStringList{"a", "--data", "d", "--best", "--step", "3"};
        QTest::addRow("no batches") << QStringList{"a", "--data", "d", "--batches", "0"};
        QTest::addRow("batches of inputs") << QStringList{"a", "--inputs", "i", "--batches", "2"};
        QTest::addRow("outputs of a data set") << QStringList{"a", "--data", "d", "--out", "o"};
        QTest::addRow("training on a data set") << QStringList{"a", "--data", "d", "--train", "lamb"};
        QTest::addRow("precision") << QStringList{"a", "--data", "d", "--precision", "float8"};
    }
    void refusesWhatDoesNotGoTogether()
    {
        QFETCH(QStringList, arguments);
        std::vector<std::string> words;
        for (const QString& word : arguments)
            words.push_back(word.toStdString());
        QVERIFY_EXCEPTION_THROWN(parsed(words), CLI::ParseError);
    }

    void saysWhatIsMissing()
    {
        EvalCommandLine nothing;
        QVERIFY(problemOf(nothing).contains("no model was given"));
        nothing.model = "bert";
        QVERIFY(problemOf(nothing).contains("give --data DIR or --inputs FILE"));
        EvalCommandLine layout = onInputs();
        layout.layout = "spec.json";
        QVERIFY(problemOf(layout).contains("give --out FILE"));
        EvalCommandLine json = onInputs();
        json.json = true;
        QVERIFY(problemOf(json).contains("--json has nothing to print"));
        EvalCommandLine printed = onInputs();
        printed.out = "-";
        QVERIFY(problemOf(printed).contains("--out -: tensors are not printed"));
    }

    void sgdHasNoMoments()
    {
        EvalCommandLine train = onInputs();
        train.optimizer = "sgd";
        train.training.learningRate = 0.5;
        QCOMPARE(problemOf(train), QString());
        train.training.beta2 = 0.5;
        QVERIFY(problemOf(train).contains("--beta2 has no meaning with --train sgd"));
        train.optimizer = "lamb";
        QCOMPARE(problemOf(train), QString());
    }
};

QTEST_APPLESS_MAIN(TestEvalCommandLine)
#include "tst_eval_command_line.moc"
