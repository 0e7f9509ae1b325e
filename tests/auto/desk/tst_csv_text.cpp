#include <QTest>

#include "app/base/csv_text.h"
#include "app/monitor/model/pinned_values.h"

using namespace trainyard;

class TestCsvText : public QObject {
    Q_OBJECT

private slots:
    void guardsWhatASpreadsheetWouldCompute_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        const auto row = [](const QString& text, const QString& field) {
            QTest::addRow("%s", qPrintable(field)) << text << field;
        };
        row("=1+1", "'=1+1");
        row("=HYPERLINK(\"http://a\",\"b\")", "\"'=HYPERLINK(\"\"http://a\"\",\"\"b\"\")\"");
        row("+SUM(A1)", "'+SUM(A1)");
        row("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0");
        row("@SUM(1)", "'@SUM(1)");
        row("\t=1", "'\t=1");
        row("\r=1", "\"'\r=1\"");
        row("\n=1", "\"'\n=1\"");
        row(QString::fromUtf8("＝1+1"), QString::fromUtf8("'＝1+1"));
        row("-", "'-");
        row("'=1", "''=1");
        row("''=1", "'''=1");
        // Numbers stay numbers, and texts what they are.
        row("-0.5", "-0.5");
        row("+3", "+3");
        row("-1e-7", "-1e-7");
        row("-inf", "-inf");
        row("", "");
        row("bert-large", "bert-large");
        row("a=b", "a=b");
        row("'quoted'", "'quoted'");
        row("a,b", "\"a,b\"");
    }
    void guardsWhatASpreadsheetWouldCompute()
    {
        QFETCH(QString, text);
        QTEST(csvField(text), "field");
    }

    void givesBackWhatWasGuarded_data() { guardsWhatASpreadsheetWouldCompute_data(); }
    void givesBackWhatWasGuarded()
    {
        QFETCH(QString, text);
        QString field = csvField(text);
        if (field.startsWith('"'))
            field = field.mid(1, field.size() - 2).replace("\"\"", "\"");
        QCOMPARE(withoutFormulaGuard(field), text);
    }

    void writesEveryNumberAsANumber()
    {
        for (const double value : {-0.5, -1e300, 0.1, -7.0}) {
            QCOMPARE(csvField(csvNumber(value)), csvNumber(value));
            QCOMPARE(csvNumber(value).toDouble(), value);
        }
    }

    void pinnedValuesHoldNoFormula()
    {
        PinnedValues values;
        values.pin(1, "step 1", {{"=1+1", Quantity::Number, -0.5}});
        QCOMPARE(values.toCsv(), QString("step,'=1+1\n1,-0.5\n"));
    }
};

QTEST_GUILESS_MAIN(TestCsvText)
#include "tst_csv_text.moc"
