#include <QTest>

#include "engine/planner/parameter_parts.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

/// GPT-2 of Radford et al., 2019.
ModelSpec gpt2(int layers, int hidden)
{
    ModelSpec model;
    model.setFamily(ModelFamily::Gpt);
    model.layers = layers;
    model.hidden = hidden;
    model.intermediate = 4 * hidden;
    model.vocabulary = 50257;
    model.maxPositions = 1024;
    return model;
}

} // namespace

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
        QTest::addRow("gpt2") << gpt2(12, 768) << qint64{124'439'808};
        QTest::addRow("gpt2-xl") << gpt2(48, 1600) << qint64{1'557'611'200};
    }
    void countsTheParametersOfKnownModels()
    {
        QFETCH(ModelSpec, model);
        QTEST(qint64{parameterCount(model)}, "parameters");
    }
};

QTEST_APPLESS_MAIN(TestParameterParts)
#include "tst_parameter_parts.moc"
