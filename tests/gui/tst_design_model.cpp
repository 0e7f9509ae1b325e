#include <QApplication>
#include <QComboBox>
#include <QTest>

#include "app/designer/design_page.h"
#include "app/designer/layer/layer_picture.h"
#include "app/designer/layer_panel.h"
#include "app/workspace/panel_area.h"
#include "engine/spec/presets.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

RunSpec specWith(const char* preset)
{
    RunSpec spec;
    spec.model = *modelPreset(preset);
    spec.model.preset = preset;
    return spec;
}

} // namespace

/// The drawing of the model in the page Design, driven as a user does.
class TestDesignModel : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_desk.start();
        m_page = &m_desk.goTo<DesignPage>();
        m_panel = m_page->findChild<LayerPanel*>();
        m_picture = m_panel->findChild<LayerPicture*>();
        m_page->panels()->showPanel(*m_panel);
        document().reset(specWith("llama3-8b"));
    }
    void cleanup() { m_desk.end(); }

    void aChosenPresetIsDrawn()
    {
        auto* preset = m_page->findChild<QComboBox*>("model.preset");
        preset->setFocus();
        QApplication::setKeyboardInputInterval(kPatienceMs); // one word, however slowly it is typed
        QTest::keyClicks(preset, "mixtral");
        QCOMPARE(document().spec().model.preset, std::string("mixtral-8x7b"));
        QVERIFY(m_picture->text().contains("Router"));
        QVERIFY(labelContaining(*m_panel, "12.9 billion active per token"));
        document().undoStack().undo();
        QVERIFY(!m_picture->text().contains("Router"));
    }

    void everyFieldOfTheModelIsFollowed()
    {
        document().edit("Window", "model.window", [](RunSpec& spec) { spec.model.window = 2048; });
        QVERIFY(m_picture->text().contains("window of"));
        document().edit("Norm", "model.norm", [](RunSpec& spec) { spec.model.norm = NormPlacement::Both; });
        QCOMPARE(m_picture->drawing()->boxes().size(), std::size_t(9));
    }

    void aModelWithAProblemIsNotDrawn()
    {
        document().edit("Heads", "model.heads", [](RunSpec& spec) { spec.model.heads = 33; });
        QVERIFY(!m_picture->drawing());
        QVERIFY(m_picture->accessibleDescription().contains("heads"));
        QVERIFY(m_picture->text().isEmpty());
        document().undoStack().undo();
        QVERIFY(m_picture->drawing().has_value());
    }

    void otherProblemsDoNotHideIt()
    {
        document().edit("Micro-batch", "batch.micro", [](RunSpec& spec) { spec.batch.micro = 0; });
        QVERIFY(!document().isValid());
        QVERIFY(m_picture->drawing().has_value());
    }

private:
    SpecDocument& document() { return m_desk.session().document(); }

    PageFixture m_desk;
    DesignPage* m_page = nullptr;
    LayerPanel* m_panel = nullptr;
    LayerPicture* m_picture = nullptr;
};

QTEST_MAIN(TestDesignModel)
#include "tst_design_model.moc"
