#include <QTest>

#include <QElapsedTimer>
#include <QRegularExpression>

#include <random>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/markup_cleaner.h"
#include "datasets/input/corpus_input.h"
#include "datasets/input/piece_parser.h"
#include "tests/support/patience.h"
#include "tests/support/reference_data.h"

using namespace trainyard;

namespace {

QString clean(const QString& markup)
{
    QStringList paragraphs;
    for (const Paragraph& paragraph : cleanMarkup(markup.toStdString()).paragraphs)
        paragraphs << QString::fromStdString(paragraph.text);
    return paragraphs.join(QLatin1String(" | "));
}

/// Whole articles of a dump, with what it says about its namespaces.
QStringList cleanArticles(const std::filesystem::path& dump)
{
    auto input = CorpusInput::open({{dump}, CorpusFormat::MediaWiki}, 1).value();
    QStringList articles;
    SkipCounters counters;
    while (const auto piece = input.next().value()) {
        MarkupSettings settings;
        for (const auto& [number, names] : piece->site->namespaces) {
            for (const std::string& name : names)
                settings.addNamespace(number, name);
        }
        for (const CorpusDocument& document : parsePiece(*piece, counters).value()) {
            QString article;
            for (const Paragraph& paragraph : cleanMarkup(document.text, settings).paragraphs)
                article += QString::fromStdString(paragraph.text) + "\n";
            articles << article;
        }
    }
    return articles;
}

/// What cleaners of wiki markup leave behind.
const QRegularExpression& residue()
{
    static const QRegularExpression pattern(QStringLiteral(
        R"(\{\{|\}\}|\[\[|\]\]|\{\||\|\}|</?[A-Za-z!]|&#?\w+;|\(\s*\)|\(\s*[,;]|,\s*\)| ,|  |''|formula_\d|codice_\d|__[A-Z]+__|~~~)"));
    return pattern;
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
        row("It [is [so],] and [,[so] x] old.", "It [is [so] ] and [ [so] x] old.");
        // Characters that show nothing stand between: zero-width space, soft hyphen, and their like.
        row("A <\u200Bref> is <!\uFEFF-- so.", "A < ref> is <! -- so.");
        row("A <!-\u00AD- is {\u200E{ so.", "A <!- - is { { so.");
        row("A re\u00ADpair of l'\u200Barc is.", "A repair of l'arc is.");
    }
    void repairsWhatRemovalLeaves()
    {
        QFETCH(QString, markup);
        QFETCH(QString, expected);
        QCOMPARE(clean(markup), expected);
    }

    void handlesEveryKindOfMarkup_data()
    {
        QTest::addColumn<QString>("markup");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* markup, const char* expected) {
            QTest::addRow("%s", qPrintable(QString::fromUtf8(markup).simplified()))
                << QString::fromUtf8(markup) << QString::fromUtf8(expected);
        };
        row("It is {{convert|5|km|mi}} long.", "It is 5 km long.");
        row("It is {{convert|5|by|10|m|ft|abbr=on}} big.", "It is 5 by 10 m big.");
        row("It is {{convert|3|x|4|x|5|cm|in}} big.", "It is 3 × 4 × 5 cm big.");
        row("It is {{convert|5|-|10|km|mi|0|adj=on}} long.", "It is 5–10 km long.");
        row("It is {{convert|6|ft|2|in|m|2}} tall.", "It is 6 ft 2 in tall.");
        row("It is a {{convert|10|ft|m|adj=mid|-long}} pole.", "It is a 10 ft-long pole.");
        row("It is {{convert|1234.5|sqmi|km2|1|sp=us}} wide.", "It is 1234.5 sq mi wide.");
        row("It is {{cvt|30|C|F}} there.", "It is 30 °C there.");
        row("It is {{val|1.5|0.2|e=6|u=km}} far.", "It is 1.5±0.2×10⁶ km far.");
        row("It is {{formatnum:12345.6}} here and {{FORMATNUM:7}}.", "It is 12345.6 here and 7.");
        row("Born {{birth date and age|1990|1|2}} there. And {{birth date|df=yes|1990|1|2}}.",
            "Born January 2, 1990 there. And 2 January 1990.");
        row("{{As of|2010|5}}, it is. It was so {{as of|2010|lc=y}}.",
            "As of May 2010, it is. It was so as of 2010.");
        row("It is {{circa|1500}} old. {{Floruit|1500|1510}} it was.",
            "It is c. 1500 old. fl. 1500–1510 it was.");
        row("Rome ({{IPAc-en|r|oʊ|m}}; {{lang-it|Roma}} {{IPA-it|ˈroːma|}}) is a city.",
            "Rome (Roma) is a city.");
        row("Rome (pronounced {{IPA|/x/}}, born 5 May) is. Rome (English: {{IPA|x}}) is.",
            "Rome (born 5 May) is. Rome is.");
        row("Rome ({{lang-el|Ῥώμη}}, {{transl|el|Rhṓmē}}) is. {{nihongo|Tokyo|東京|Tōkyō}} is.",
            "Rome (Ῥώμη, Rhṓmē) is. Tokyo is.");
        row("It is {{nowrap|so {{abbr|c.|circa}} 5}}. {{ill|Hans|de|Hans Meier|lt=Hans M.}} is.",
            "It is so c. 5. Hans M. is.");
        row("It is so{{efn|Or {{not}}.}}{{sfn|Smith|2000|p=5}}. So{{refn|x}} be it{{citation needed|date=May "
            "2010}}.",
            "It is so. So be it.");
        row("{{coord|1|2|display=title}}It is. {{#if:x|It was.|no}} {{#if:|no|So.}} {{#invoke:Foo|bar}}",
            "It is. It was. So.");
        row("__TOC__ It is. __NOTOC__\n__БЕЗ_ОГЛ__\nThe __init__ method is. ",
            "It is. The __init__ method is.");
        row("-{zh-hans:计算机; zh-hant:電腦}-是机器。", "计算机是机器。");
        row("-{H|zh-hans:a}-It is -{R|so}- and x-{y}z.", "It is so and x-{y}z.");
        row("It is<br>so<br />big. \n* one<br>two\n* two", "It is so big.");
        row("'''''Bold italic''' italic'' is. l'''amour'' is. L''''Aigle''' is. dell'''Eneide'' è.",
            "Bold italic italic is. lamour is. L'Aigle is. dellEneide è.");
        row("[[:fr:Rome]] and [[fr:Rome]] and [[CSI: Miami]] and [[wikt:house]] and [[Terminator 2: Judgment "
            "Day]].",
            "Rome and and CSI: Miami and house and Terminator 2: Judgment Day.");
        row("[[Файл:a.jpg|мини|Текст [[б|в]] и [http://x y]]]Рим е град. [[Категория:Градове]] "
            "[[КАРТИНКА:x.png]]",
            "Рим е град.");
        row("[[Bild:a.jpg]][[Datei:x|[http://a b]]] Rom ist alt. [[Kategorie:X]][[Fichier:É.jpg|vignette]]",
            "Rom ist alt.");
        row("[[File:x.jpg|thumb|Never closed [[a]]\n\nIt is old.", "It is old.");
        row("[[Rome|the city is old.\n\nIt is new.", "the city is old. | It is new.");
        row("{{cite web |url=http://x |title=Never closed. It is old.\n\nIt is new.",
            "Never closed. It is old. | It is new.");
        row("[http://x y z] [http://x] [//a b] [[http://a.b c d]] is. See [sic] there [1].",
            "y z b c d is. See [sic] there [1].");
        row("Text <ref name=x/> more <ref name=\"a\">b</ref> x <references/>. A <small>b</small> <ref "
            "name=broken more.",
            "Text more x. A b more.");
        row("A <math>x</math> is. Let (<math>y</math>) be. (where <math>z</math> is 5) it. 10<sup>-5</sup> "
            "m<sup>2</sup> 5<sup>th</sup>.",
            "A is. Let be. (where is 5) it. 10⁻⁵ m² 5th.");
        row("<score>abc</score>It is. <timeline>x\ny</timeline> <syntaxhighlight lang=\"c\">int "
            "x;</syntaxhighlight>So. <chem>H2O</chem>",
            "It is. So.");
        row("It is <!-- a\n\nb -->so. --> Stay.", "It is so. Stay.");
        row("== Head == \nIt is. \n==Bad\nIt was.\n=== Sub ===\n== Liens externes ==\nNot this. And "
            "that.\n== Литература ==\nNo. No.",
            "It is. | It was.");
        row("It is ( , ) « » “” \"\" 「」 （） （，a）. Price{{,}} so , yes ; no : ok.",
            "It is （a）. Price so, yes; no: ok.");
        row("{| class=x\n|-\n| a || b\n|}\nIt is.\n:{| \n| x\n|}\nIt was.", "It is. | It was.");
        row("{{Infobox\n| a = {{b|{{c}}\n}}\n| d = [[File:x|y]]\n}}It is.", "It is.");
        row("Sign ~~~~ here. A {{=}} b {{!}} c. {{lang|fr|{{nowrap|a|b}}}} is.",
            "Sign here. A = b | c. a is.");
        row("{{quote|It is said.|Me}} It {{'}}s. {{\"|Said}} he. {{langx|de|Haus}} is. {{USS|Monitor|1862}} "
            "is.",
            "It is said. It 's. \"Said\" he. Haus is. USS Monitor is.");
        row("<nowiki>[[x]]</nowiki> &lt;ref&gt; &amp;nbsp; &amp;amp;lt; x.", "[[x]] <ref> < x.");
        row("<ul><li>one</li><li>two is it.</li></ul>It is.", "It is.");
        row(" code line x\n code 2;\nIt is.", "It is.");
        row("{{unité|5|km}} et {{s|XIX}} et {{1er}} janvier et {{date|1|janvier|1990}}.",
            "5 km et XIXe siècle et 1er janvier et 1 janvier 1990.");
        row("A{{snd}}b{{ndash}}c{{nbsp}}d. £ {{GBP|5}} {{US$|7}} {{€|8}} {{sfrac|1|2}} {{frac|3|1|4}} "
            "{{ordinal|22}}.",
            "A – b–c d. £ £5 US$7 €8 1/2 3 1/4 22nd.");
        row("{{jct|state=CA|I|5}} is. {{music|flat}}B. {{sclass|Iowa|battleship}}s are. "
            "{{height|ft=5|in=10}} is. {{Template:nowrap|x}} {{subst:nowrap|y}}.",
            "I-5 is. ♭B. Iowa-class battleships are. 5 ft 10 in is. x y.");
        row("[[File:x.jpg|thumb|alt=a|[[File:y.jpg]] cap]] It is. [[image:z.png]] [[Category:A|*]].",
            "It is.");
        row("It is [[a|b]]]. It [[[c]]] is. [[|d]] [[e|]] [[F (g)|]] [[#h]] [[I#j]].",
            "It is b]. It [c] is. d e F #h I.");
        row("<p>One is.</p><p>Two is.</p> <div align=center>Three is.</div>",
            "One is. | Two is. | Three is.");
        row("(<ref>x</ref>) It (a <ref>b</ref>) is.   Two  spaces.", "It (a) is. Two spaces.");
        row("Comme l'''amour'' est.", "Comme l'amour est.");
        row("Nel canto dell'''Eneide'' è.", "Nel canto dell'Eneide è.");
        row("It is &amp;amp;amp;lt;b or &amp;nbsp;c.", "It is <b or c.");
    }
    void handlesEveryKindOfMarkup()
    {
        QFETCH(QString, markup);
        QFETCH(QString, expected);
        QCOMPARE(clean(markup), expected);
    }

    void keepsHeadingsAndListsByOption_data()
    {
        QTest::addColumn<bool>("headings");
        QTest::addColumn<bool>("lists");
        QTest::addColumn<QString>("expected");
        QTest::addRow("neither") << false << false << "It is. | Text is.";
        QTest::addRow("headings") << true << false << "It is. | #Dr. Who & \"co\" | Text is.";
        QTest::addRow("lists") << false << true
                               << "It is. | one | two y | term: def is | more | li | li two | Text is.";
        QTest::addRow("both")
            << true << true
            << "It is. | #Dr. Who & \"co\" | one | two y | term: def is | more | li | li two | "
               "Text is.";
    }
    void keepsHeadingsAndListsByOption()
    {
        QFETCH(bool, headings);
        QFETCH(bool, lists);
        MarkupSettings settings;
        settings.keepHeadings = headings;
        settings.keepLists = lists;
        const CleanText text = cleanMarkup(
            "It is.\n== ''Dr. Who'' &amp; [[x|\"co\"]]<ref>y</ref> ==\n* one\n** two [[x|y]]\n* {{x}}\n"
            "; term : def is\n: more\n<ul><li>li<br>li two</li></ul>\nText is.\n=== References "
            "===\n* no\n==== A ====\n* no\n",
            settings);
        QStringList found;
        for (const Paragraph& paragraph : text.paragraphs)
            found << (paragraph.heading ? "#" : "") + QString::fromStdString(paragraph.text);
        QFETCH(QString, expected);
        QCOMPARE(found.join(" | ").replace("li li two", "li | li two"), expected);
        QCOMPARE(text.dropped.headings, std::uint64_t(headings ? 2 : 3));
        QCOMPARE(text.dropped.listItems, std::uint64_t(lists ? 0 : 6));
    }

    void knowsTheNamespacesOfTheDump()
    {
        const std::string markup = "[[Soubour:x.jpg|a [[b]]]][[WP-DE:c]]It is [[ΑΡΧΕΊΟ:y|z]] [[Help:Q|q]].";
        QCOMPARE(clean(QString::fromStdString(markup)), "a bWP-DE:cIt is q.");
        MarkupSettings settings;
        settings.addNamespace(6, "SOUBOUR");
        settings.addNamespace(4, "WP-DE");
        settings.addNamespace(0, "");
        QCOMPARE(cleanMarkup(markup, settings).paragraphs.at(0).text, "It is q.");
    }

    void knowsAppendicesInManyLanguages_data()
    {
        QTest::addColumn<QString>("title");
        for (const char* title : {"References",
                                  "EXTERNAL LINKS",
                                  "Einzelnachweise",
                                  "Notes et références",
                                  "Véase también",
                                  "Collegamenti esterni",
                                  "Ligações externas",
                                  "Zie ook",
                                  "Przypisy",
                                  "Примечания",
                                  "СМ. ТАКЖЕ",
                                  "Посилання",
                                  "Външни препратки",
                                  "Externí odkazy",
                                  "Externa länkar",
                                  "脚注",
                                  "外部リンク",
                                  "参考文献",
                                  "外部連結",
                                  "المراجع",
                                  "각주",
                                  "Kaynakça",
                                  "Εξωτερικοί σύνδεσμοι",
                                  "References:"})
            QTest::addRow("%s", title) << QString::fromUtf8(title);
    }
    void knowsAppendicesInManyLanguages()
    {
        QFETCH(QString, title);
        QCOMPARE(clean("It is.\n== " + title + " ==\nNot this. Nor that.\n== Later ==\nIt was."),
                 "It is. | It was.");
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

    void leavesNoResidueInTheExcerpt()
    {
        const auto dump = referenceExcerpt();
        NEEDS_REFERENCE(dump);
        const QStringList articles = cleanArticles(dump);
        QVERIFY(articles.size() >= 105);
        for (const QString& article : articles) {
            const auto found = residue().match(article);
            QVERIFY2(!found.hasMatch(),
                     qPrintable(article.mid(std::max<qsizetype>(found.capturedStart() - 60, 0), 160)));
        }
    }

    void readsBulgarianArticles_data()
    {
        QTest::addColumn<QString>("markup");
        QTest::addColumn<QString>("expected");
        QTest::addRow("town")
            << QStringLiteral(
                   "{{Селище|име=Долна баня|картинка=[[Картинка:a.jpg]]}}\n[[Файл:b.jpg|мини|250п|Изглед от "
                   "[[Рила|"
                   "планината]]]]\n'''До̀лна ба̀ня''' ({{lang-tr|Bâne-i zir}}; {{IPA|/a/}}) е [[град]] в "
                   "[[Западна "
                   "България]], [[Софийска област|област София]].<ref name=\"нси\">{{cite "
                   "web|url=http://a.bg}}</ref> "
                   "През 1934&nbsp;г. има {{formatnum:4512}} жители.\n\n== География ==\nГрадът е на "
                   "{{convert|635|m|ft}} "
                   "надморска височина.\n* Списък\n\n== Външни препратки ==\n* [http://dolna.bg Страница]\n\n"
                   "[[Категория:Градове в България]]\n[[en:Dolna Banya]]")
            << "До̀лна ба̀ня (Bâne-i zir) е град в Западна България, област София. През 1934 г. има "
               "4512 жители. | Градът е на 635 m надморска височина.";
        QTest::addRow("calendar")
            << QStringLiteral(
                   "__БЕЗСЪДЪРЖАНИЕ__\n:''Вижте [[Друг]].''\nГодината е „[[високосна година|високосна]]“ , "
                   "ако се дели на 4 ( {{източник?}} ).\n{| class=\"wikitable\"\n! Месец\n|-\n| "
                   "Май\n|}\n[[Special:X]]"
                   "[[Беседа:Y]]Тя има 366 дни<!-- бележка -->.\n== Бележки ==\n<references />\nКрай. Край.")
            << "Годината е „високосна“, ако се дели на 4. | Тя има 366 дни.";
    }
    void readsBulgarianArticles()
    {
        QFETCH(QString, markup);
        QFETCH(QString, expected);
        QCOMPARE(clean(markup), expected);
    }

    void leavesNoResidueOfAnyMarkup()
    {
        std::mt19937 random(5);
        std::vector<std::string> pieces{"{{",     "}}",      "[[",         "]]",        "{|",
                                        "|}",     "\n",      "<ref>",      "</ref>",    "<ref name=\"x\"",
                                        "/>",     "<!--",    "-->",        "|",         "''",
                                        "'''",    "==",      "(",          ")",         ",",
                                        " ",      "a",       "word",       "<math>",    "</math>",
                                        "{{{",    "}}}",     "[http://",   "]",         "*",
                                        ".",      "é",       "-{",         "}-",        "__TOC__",
                                        "~~~~",   ";",       "File:a",     "{{lang|",   "IPA|",
                                        "<br>",   "<small>", "</div",      "nowrap",    "=",
                                        "&nbsp;", ":",       "Категория:", "<gallery>", "convert|5|"};
        pieces.insert(pieces.end(), {"\u200B", "\u00AD", "\x02", "<", "<!", "--", "[", "“”"});
        const QRegularExpression broken(
            QStringLiteral(
                R"(<!--|\{\{|\}\}|\[\[|\]\]|\{\||\|\}|</?(?:ref|br|small|div|math|gallery)\b|\(\)|\( *,|  |''|__TOC__|~~~)"),
            QRegularExpression::UseUnicodePropertiesOption);
        for (int round = 0; round < 20000; ++round) {
            std::string markup = "It is. ";
            for (unsigned i = random() % 40; i > 0; --i)
                markup += pieces[random() % pieces.size()];
            const QString text = clean(QString::fromStdString(markup));
            QVERIFY2(!broken.match(text).hasMatch(),
                     qPrintable(QString::fromStdString(markup) + " => " + text));
        }
    }

    void leavesNoResidueInTheSampleDump()
    {
        auto input = CorpusInput::open({{TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2"},
                                        CorpusFormat::MediaWiki},
                                       1)
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
        for (const char* opened : {"<pre>",
                                   "<table><tr>",
                                   "<ref>",
                                   "<ref><ref/>",
                                   "<!--",
                                   "<nowiki>",
                                   "<a ",
                                   "{{a",
                                   "{{a|b",
                                   "{{{a|",
                                   "{|a\n",
                                   "{{a|{|\n}}",
                                   "[[a",
                                   "[[a|b",
                                   "[http://a ",
                                   "[http://a\n",
                                   "( , ",
                                   "''",
                                   "&a",
                                   "==\n==a==\n",
                                   "x.",
                                   "A. ",
                                   "[",
                                   "]",
                                   "{",
                                   "}",
                                   "|",
                                   "<",
                                   "'''",
                                   "'",
                                   "[[File:a|",
                                   "[[File:a\n\n",
                                   "[[a|\n\n",
                                   "\n==",
                                   "(",
                                   "( <math></math>",
                                   "<math></math>",
                                   "(a <math>x</math> ",
                                   "-{",
                                   "-{a;",
                                   "}-",
                                   "__A",
                                   "~~~",
                                   "« ",
                                   "» ",
                                   "\"",
                                   "<sup>",
                                   "<br x=",
                                   "<small a=\"",
                                   "&amp;amp;",
                                   ". . ",
                                   "* a\n",
                                   "ΑΣ",
                                   "<code>\n",
                                   "</ref>",
                                   "{{lang|",
                                   "{{convert|",
                                   "{{#switch:",
                                   "[[:fr:",
                                   "'s'",
                                   "。",
                                   "|}",
                                   "{{1=",
                                   "(a, ",
                                   ") ",
                                   "?!\" "})
            QTest::addRow("%s", qPrintable(QString(opened).simplified())) << opened;
    }
    void staysFastOnPagesThatOpenWithoutClosing()
    {
        QFETCH(QString, opened);
        const QString page =
            opened.repeated(2'000'000 / opened.size()) + "\n\nIt was a long and quiet road to Rome.";
        // Some 0.1 s; a tenth of a millisecond per quadratic step of 2 MB would be minutes.
        QElapsedTimer timer;
        timer.start();
        QVERIFY(clean(page).size() < page.size() + 10);
        QVERIFY2(timer.elapsed() < kPatienceMs, "the work is not in proportion to the text");
    }
};

QTEST_APPLESS_MAIN(TestMarkupCleaner)
#include "tst_markup_cleaner.moc"
