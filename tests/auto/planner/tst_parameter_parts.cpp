#include <QTest>

#include <cmath>

#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/presets.h"

using namespace trainyard;

Q_DECLARE_METATYPE(ModelSpec)

class TestParameterParts : public QObject {
    Q_OBJECT

private slots:
    void countsTheParametersOfKnownModels_data()
    {
        QTest::addColumn<ModelSpec>("model");
        QTest::addColumn<qint64>("parameters");
        // Hugging Face's num_parameters() of the tied BertForPreTraining and GPT2LMHeadModel.
        QTest::addRow("bert-base") << *modelPreset("bert-base") << qint64{110'106'428};
        QTest::addRow("bert-large") << *modelPreset("bert-large") << qint64{336'226'108};
        QTest::addRow("gpt2-small") << *modelPreset("gpt2-small") << qint64{124'439'808};
        QTest::addRow("gpt2-medium") << *modelPreset("gpt2-medium") << qint64{354'823'168};
        QTest::addRow("gpt2-xl") << *modelPreset("gpt2-xl") << qint64{1'557'611'200};
        QTest::addRow("gpt-1.3b") << *modelPreset("gpt-1.3b") << qint64{1'315'723'264};
    }
    void countsTheParametersOfKnownModels()
    {
        QFETCH(ModelSpec, model);
        QTEST(qint64{parameterCount(model)}, "parameters");
    }

    // To the digit that is printed: GPT of Narayanan et al. (arXiv:2104.04473), table 2 and table 1; BERT 5B
    // of Habana's Model-References; the 2 T model of DeepSpeed on Azure (its blog of July 2022) has no exact
    // figure.
    void hasThePublishedSizeOfTheBigPresets_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<double>("billions");
        QTest::addColumn<double>("digit");
        QTest::addRow("gpt-175b") << "gpt-175b" << 174.6 << 0.1;
        QTest::addRow("gpt-530b") << "gpt-530b" << 529.6 << 0.1;
        QTest::addRow("gpt-1t") << "gpt-1t" << 1008.0 << 1.0;
        QTest::addRow("gpt-2t") << "gpt-2t" << 2000.0 << 200.0;
        QTest::addRow("bert-5b") << "bert-5b" << 5.0 << 1.0;
    }
    void hasThePublishedSizeOfTheBigPresets()
    {
        QFETCH(QString, preset);
        QFETCH(double, billions);
        QFETCH(double, digit);
        const auto count = parameterCount(*modelPreset(preset.toStdString()));
        QVERIFY(std::abs(static_cast<double>(count) * 1e-9 - billions) <= digit / 2);
    }
};

QTEST_APPLESS_MAIN(TestParameterParts)
#include "tst_parameter_parts.moc"
