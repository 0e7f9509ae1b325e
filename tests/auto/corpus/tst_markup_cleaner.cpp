#include <QTest>

#include <random>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/markup_cleaner.h"
#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"

using namespace trainyard;

namespace {

QString clean(const QString& markup)
{
    QStringList paragraphs;
    for (const Paragraph& paragraph : cleanMarkup(markup.toStdString()).paragraphs)
        paragraphs << QString::fromStdString(paragraph.text);
    return paragraphs.join(QLatin1String(" | "));
}

} // namespace

class TestMarkupCleaner : public QObject {
    Q_OBJECT

private slots:
    void keepsRunningText_data()
    {
        QTest::addColumn<QString>("markup");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* markup, const char* expected) {
            QTest::addRow("%s", name) << QString::fromUtf8(markup) << QString::fromUtf8(expected);
        };
        row("links", "The [[Rome|city]] and [[Athens]]s are old.", "The city and Athenss are old.");
        row("link to a section", "See [[Rome#History]] for that.", "See Rome for that.");
        row("pictures with links in their captions",
            "[[File:a.jpg|thumb|The [[Forum]] at [[night|dusk]].]]It is big.", "It is big.");
        row("categories and languages", "It is big.\n[[Category:Towns]]\n[[de:Stadt]]", "It is big.");
        row("shown category link", "It is in [[:Category:Towns]].", "It is in Category:Towns.");
        row("external links", "See [http://a.org/x the page] and [http://b.org].", "See the page and.");
        row("bold and italics", "'''Rome''' is ''the'' '''''capital''''' of Romulus' land.",
            "Rome is the capital of Romulus' land.");
        row("footnotes",
            "It fell<ref name=\"a\">{{cite|x=[[y]]}} p. 5.</ref> in 476<ref name=a /> and again<ref "
            "name=\"b/c\"/>.",
            "It fell in 476 and again.");
        row("footnote that is never closed", "It fell.<ref>Gibbon. It was\n\n== Later ==\nIt rose.",
            "It fell.Gibbon. It was | It rose.");
        row("comments", "It <!-- [[was]] {{ -->is old.", "It is old.");
        row("nested templates", "{{Infobox|a={{b|{{c}}}}|d=[[e]]}}It is old.", "It is old.");
        row("parameters", "It is {{{1|very}}} old.", "It is old.");
        row("template that is never closed", "{{Infobox\n\nIt is old.", "It is old.");
        row("closing braces too many", "It is}} old.", "It is old.");
        row("tables",
            "Before it was.\n{| class=x\n! A\n|-\n| {{b|c}} || d\n{| inner\n| e\n|}\n|}\nAfter it was.",
            "Before it was. | After it was.");
        row("table that is never closed", "It was.\n{| class=x\n| a || b\n\nIt is.", "It was. | It is.");
        row("template that ends with a bar", "{{x|a=\n{{y|}}\n|}}It is old.", "It is old.");
        row("formula", "Let <math>x^2 {{</math> be small.", "Let be small.");
        row("code listings", "Write <source lang=c>int [[a]];</source> so. <code>ls</code> lists.",
            "Write so. ls lists.");
        row("nowiki", "Write <nowiki>[[x]] and {{y}} ''so''</nowiki> here.",
            "Write [[x]] and {{y}} so here.");
        row("galleries", "It is.\n<gallery>\nFile:a.jpg|x.\n</gallery>", "It is.");
        row("tags", "H<sub>2</sub>O is <span style=\"a\">wet</span>.<br/>It flows.", "H2O is wet. It flows.");
        row("less-than signs", "If a < b and c<d, then 3 > 2.", "If a < b and c<d, then 3 > 2.");
        row("entities", "A&nbsp;B &ndash; C &amp; D &#65; &#x42; &bogus; E&amp;ndash;F.",
            "A B – C & D A B &bogus; E–F.");
        row("escaped markup is text", "Write &lt;ref&gt; and &#91;&#91;a&#93;&#93;.",
            "Write <ref> and [[a]].");
        row("headings and lists", "== Early life ==\nShe was born.\n* one\n# two\n: three.\n;four\nShe died.",
            "She was born. | She died.");
        row("appendices",
            "It is.\n== References ==\nA book. It is long.\n=== Notes ===\nMore of it.\n== Legacy ==\nIt "
            "was.",
            "It is. | It was.");
        row("paragraphs", "One line\nand the next.\n\nA new one.", "One line and the next. | A new one.");
        row("fragments", "It is.\n\nleft over\n\n__NOTOC__\n----\n", "It is.");
        row("redirected brackets", "It is]] [[old.", "It is old.");
    }
    void keepsRunningText()
    {
        QFETCH(QString, markup);
        QFETCH(QString, expected);
        QCOMPARE(clean(markup), expected);
    }

    void keepsTheWordsOfTemplates_data()
    {
        QTest::addColumn<QString>("markup");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* markup, const char* expected) {
            QTest::addRow("%s", markup) << QString::fromUtf8(markup) << QString::fromUtf8(expected);
        };
        row("{{convert|5|km|mi|abbr=on}}", "5 km");
        row("{{convert|5|to|10|km2|sqmi}}", "5 to 10 km²");
        row("{{Cvt|20|C}}", "20 °C");
        row("{{formatnum:1234}}", "1234");
        row("{{lang|el|ἀρχή}}", "ἀρχή");
        row("{{lang-el|ἀρχή}}", "ἀρχή");
        row("{{frac|1|2}}", "1/2");
        row("{{frac|3|1|2}}", "3 1/2");
        row("{{nowrap|{{convert|3|ft}} high}}", "3 ft high");
        row("{{nowrap|1=a=b}}", "a=b");
        row("a{{spaced ndash}}b", "a – b");
        row("{{USS|Monitor|1862}}", "USS Monitor");
        row("{{cite book|title=No}}", "");
        row("{{unheard of|x}}", "");
        row("{{quote|[[a|b]] {{=}} c}}", "b = c");
    }
    void keepsTheWordsOfTemplates()
    {
        QFETCH(QString, markup);
        QFETCH(QString, expected);
        const QString blank = expected.isEmpty() ? QString() : QStringLiteral(" ");
        QCOMPARE(clean("It is " + markup + " here."), "It is " + expected + blank + "here.");
    }

    void repairsWhatRemovalLeaves_data()
    {
        QTest::addColumn<QString>("markup");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* markup, const char* expected) {
            QTest::addRow("%s", markup) << QString::fromUtf8(markup) << QString::fromUtf8(expected);
        };
        row("Rome ({{IPA|x}}) is.", "Rome is.");
        row("Rome ({{IPA|x}}, old Roma) is.", "Rome (old Roma) is.");
        row("Rome ({{IPA|x}}; {{y}}, ) is.", "Rome is.");
        row("Rome (old, {{y}}) is.", "Rome (old) is.");
        row("Rome (a ({{y}}) b) is.", "Rome (a b) is.");
        row("Rome , which  is , old .", "Rome, which is, old.");
        row("It cost 3.50 at 12:30 , see http://a.b.", "It cost 3.50 at 12:30, see http://a.b.");
        row("A smile :) is.", "A smile:) is.");
        row("It \"\" is ( ).", "It is.");
        row("Wait ... what is .5?", "Wait ... what is .5?");
    }
    void repairsWhatRemovalLeaves()
    {
        QFETCH(QString, markup);
        QFETCH(QString, expected);
        QCOMPARE(clean(markup), expected);
    }

    void countsWhatItDrops()
    {
        const auto text = cleanMarkup("== A ==\nIt is.\n* x\n* y\n\nleft over\n== References ==\nz.\n");
        QCOMPARE(text.dropped.headings, std::uint64_t(2));
        QCOMPARE(text.dropped.listItems, std::uint64_t(2));
        QCOMPARE(text.dropped.fragments, std::uint64_t(1));
        QCOMPARE(text.dropped.appendices, std::uint64_t(1));
    }

    void decodesEntitiesAtTheirLimits()
    {
        QCOMPARE(decodeEntities("&#0;&#x110000;&#xD800;&#99999999999;&;&#;&#x;&amp"),
                 std::string("&#0;&#x110000;&#xD800;&#99999999999;&;&#;&#x;&amp"));
        QCOMPARE(decodeEntities("&#x10FFFF;"), std::string("\xF4\x8F\xBF\xBF"));
    }

    void survivesAnyMarkup()
    {
        std::mt19937 random(11);
        const std::vector<std::string> pieces{
            "{{",         "}}",       "[[",   "]]",  "{|", "|}",       "\n",        "<ref>",  "</ref>",
            "<ref name=", "/>",       "<!--", "-->", "|",  "'''",      "==",        "&",      ";",
            "(",          ")",        ",",    " ",   "a",  "<nowiki>", "</nowiki>", "<math>", "{{{",
            "}}}",        "[http://", "]",    "*",   ".",  "\xC3",     "é"};
        for (int round = 0; round < 3000; ++round) {
            std::string markup;
            for (unsigned i = random() % 60; i > 0; --i)
                markup += pieces[random() % pieces.size()];
            for (const Paragraph& paragraph : cleanMarkup(markup).paragraphs)
                QVERIFY2(!paragraph.text.empty() && paragraph.text.find('\n') == std::string::npos,
                         markup.c_str());
        }
    }

    void leavesNoResidueInTheSampleDump()
    {
        auto input =
            CorpusInput::open({TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2"},
                              CorpusFormat::MediaWiki, 1)
                .value();
        std::vector<CorpusDocument> articles;
        SkipCounters counters;
        while (const auto piece = input.next().value()) {
            for (CorpusDocument& document : parsePiece(*piece, counters).value())
                articles.push_back(std::move(document));
        }
        for (const CorpusDocument& article : articles) {
            const QString text = clean(QString::fromStdString(article.text));
            for (const char* residue :
                 {"()", "(,", "(;", "<", "&amp", " ,", "  ", "''", "Category", "thumb", "=="})
                QVERIFY2(!text.contains(QLatin1String(residue)), qPrintable(text));
            // The only brackets and braces are those inside <nowiki>.
            QVERIFY(!QString(text).replace("[[No entry]] & {{danger}}", "").contains("[["));
        }
        QVERIFY(articles.size() > 300);
    }

    /// Quadratic work would take hours on these, and the test would run into its time limit.
    void staysFastOnPagesThatOpenWithoutClosing_data()
    {
        QTest::addColumn<QString>("opened");
        for (const char* opened :
             {"<pre>", "<table><tr>", "<ref>", "<ref><ref/>", "<!--", "<nowiki>", "<a ",        "{{a",
              "{{a|b", "{{{a|",       "{|a\n", "{{a|{|\n}}",  "[[a",  "[[a|b",    "[http://a ", "[http://a\n",
              "( , ",  "''",          "&a",    "==\n==a==\n", "x.",   "A. "})
            QTest::addRow("%s", qPrintable(QString(opened).simplified())) << opened;
    }
    void staysFastOnPagesThatOpenWithoutClosing()
    {
        QFETCH(QString, opened);
        const QString page =
            opened.repeated(2'000'000 / opened.size()) + "\n\nIt was a long and quiet road to Rome.";
        QVERIFY(clean(page).size() < page.size() + 10);
    }
};

QTEST_APPLESS_MAIN(TestMarkupCleaner)
#include "tst_markup_cleaner.moc"
