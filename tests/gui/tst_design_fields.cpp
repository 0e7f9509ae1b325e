#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QTest>

#include <nlohmann/json.hpp>

#include "app/designer/design_page.h"
#include "app/designer/spec_field.h"
#include "app/designer/spec_form.h"
#include "app/widgets/input_boxes.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

QLabel* labelNamed(const QWidget& parent, const QString& name)
{
    for (auto* label : parent.findChildren<QLabel*>()) {
        if (label->accessibleName() == name)
            return label;
    }
    return nullptr;
}

} // namespace

/// The controls of the form: one for each setting, and what they show.
class TestDesignFields : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void everySettingHasAControlThatTheKeyboardReaches()
    {
        auto& page = m_desk.goTo<DesignPage>();
        const auto root = nlohmann::json::parse(toJson(RunSpec{})).flatten();
        for (const auto& [pointer, value] : root.items()) {
            // "/cluster/nodes/0/host" -> "cluster.nodes[0].host"
            QString path = QString::fromStdString(pointer).mid(1).replace('/', '.');
            path.replace(QRegularExpression("\\.(\\d+)\\."), "[\\1].");
            if (path == "trainyard")
                continue;
            const auto controls = page.findChildren<QWidget*>(path);
            QVERIFY2(controls.size() == 1, qPrintable(path));
            QVERIFY2(controls.front()->focusPolicy() & Qt::TabFocus, qPrintable(path));
            QVERIFY2(!controls.front()->accessibleName().isEmpty(), qPrintable(path));
            QVERIFY2(!controls.front()->toolTip().isEmpty(), qPrintable(path));
        }
    }

    void everyFieldShowsWhatItSets()
    {
        const RunSpec before;
        RunSpec spec;
        for (const SpecSection& section : specSections()) {
            for (const SpecField& field : section.fields) {
                const QVariant shown = field.get(spec);
                const QVariant other =
                    field.kind == SpecField::Kind::Choice
                        ? QVariant(field.choices[field.choices.indexOf(shown.toString()) == 0 ? 1 : 0])
                    : field.kind == SpecField::Kind::Text ? QVariant("7")
                                                          : QVariant(shown.toDouble() + 2);
                field.set(spec, other);
                QVERIFY2(spec != before, qPrintable(field.path));
                if (field.path != "model.preset") // becomes "own values" when anything differs
                    QCOMPARE(field.get(spec).toString(), other.toString());
                spec = before;
            }
        }
    }

    void everyFieldSaysItsDefaultAndManyWhereTheyAreFrom()
    {
        int sourced = 0;
        for (const SpecSection& section : specSections()) {
            for (const SpecField& field : section.fields) {
                QVERIFY2(field.help().contains("Default: "), qPrintable(field.path));
                sourced += field.source.contains("arXiv:") ? 1 : 0;
            }
        }
        QVERIFY(sourced > 30);
        auto& page = m_desk.goTo<DesignPage>();
        page.findChild<SpecForm*>()->focusField("memory.zero_stage");
        auto* help = labelNamed(page, "Field help");
        QVERIFY2(help->text().contains("https://arxiv.org/abs/1910.02054"), qPrintable(help->text()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(!help->text().contains("1910.02054"));
    }

    void theUnitOfANumberIsSingularBesideOne()
    {
        for (const auto& [unit, singular] :
             {std::pair{"files", "1 file"}, {"passes", "1 pass"}, {"per rank", "1 per rank"}}) {
            NumberBox box(0, 10, unit);
            box.setValue(1);
            QCOMPARE(box.text(), singular);
            box.setValue(2);
            QCOMPARE(box.text(), QStringLiteral("2 ") + unit);
            box.showValue(1);
            QCOMPARE(box.text(), singular);
        }
    }

    void aZeroThatMeansOffReadsSo()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* keep = page.findChild<NumberBox*>("checkpoint.keep_every");
        QCOMPARE(keep->text(), "Off");
        keep->setFocus();
        QTest::keyClick(keep, Qt::Key_End);
        QTest::keyClicks(keep, "25");
        QCOMPARE(document.spec().checkpoint.keepEvery, 25);
        QCOMPARE(keep->text(), "25 steps");
        replaceText(keep, "0");
        QTest::keyClick(keep, Qt::Key_Return);
        QCOMPARE(document.spec().checkpoint.keepEvery, 0);
        QCOMPARE(keep->text(), "Off");
        QTest::keyClick(keep, Qt::Key_End);
        QTest::keyClick(keep, Qt::Key_Backspace);
        QTest::keyClicks(keep, "7");
        QCOMPARE(document.spec().checkpoint.keepEvery, 7);
    }

    void anyPartOfAGibibyteIsALimit()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* memory = page.findChild<MemoryBox*>("cluster.nodes[0].memory");
        QCOMPARE(memory->text(), "none");
        replaceText(memory, "0.5");
        QCOMPARE(document.spec().cluster.nodes[0].memory, kGiB / 2);
        document.undoStack().undo();
        QCOMPARE(document.spec().cluster.nodes[0].memory, Bytes{0});
        document.edit("Memory", "cluster.nodes[0].memory",
                      [](RunSpec& spec) { spec.cluster.nodes[0].memory = 300 * kMiB; });
        QCOMPARE(memory->text(), "0.292969");
        QCOMPARE(document.spec().cluster.nodes[0].memory, 300 * kMiB); // shown, and not changed by that
    }

    void aPresetFillsTheModel()
    {
        auto& page = m_desk.goTo<DesignPage>();
        auto* preset = page.findChild<QComboBox*>("model.preset");
        preset->setFocus();
        QApplication::setKeyboardInputInterval(
            kPatienceMs); // one word, however slowly a busy machine types it
        QTest::keyClicks(preset, "bert-large");
        QCOMPARE(m_desk.session().document().spec().model.layers, 24);
        QCOMPARE(page.findChild<NumberBox*>("model.hidden")->value(), 1024);
    }

    void aPresetLeavesTheVocabularyToTheDataSet()
    {
        SpecDocument& document = m_desk.session().document();
        auto& page = m_desk.goTo<DesignPage>();
        auto* preset = page.findChild<QComboBox*>("model.preset");
        preset->setCurrentText("bert-base");
        QCOMPARE(document.spec().model.vocabulary, 30522);
        document.edit("Data set", "dataset.path", [](RunSpec& spec) {
            spec.dataset.path = "/data/set";
            spec.model.vocabulary = 2093;
        });
        preset->setCurrentText("bert-tiny");
        QCOMPARE(document.spec().model.layers, modelPreset("bert-tiny")->layers);
        QCOMPARE(document.spec().model.vocabulary, 2093);
        QCOMPARE(preset->currentText(), "bert-tiny");
    }

private:
    PageFixture m_desk;
};

QTEST_MAIN(TestDesignFields)
#include "tst_design_fields.moc"
