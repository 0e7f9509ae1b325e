#include <QTest>

#include <array>
#include <map>
#include <set>

#include "datasets/corpus/name_lists.h"
#include "datasets/corpus/tag_kinds.h"
#include "datasets/corpus/template_rules.h"
#include "datasets/corpus/template_table.h"
#include "datasets/corpus/unit_names.h"

using namespace trainyard;

namespace {

/// The message of the error; empty if there is none.
template <typename T>
QString problem(const Result<T>& result)
{
    return result.ok() ? QString() : QString::fromStdString(result.error().text());
}

void addProblems(std::initializer_list<std::array<const char*, 3>> rows)
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("expected");
    for (const auto& [name, json, expected] : rows)
        QTest::addRow("%s", name) << QByteArray(json) << QString::fromUtf8(expected);
}

} // namespace

class TestWikiLists : public QObject {
    Q_OBJECT

private slots:
    void builtInListsAreSound()
    {
        QCOMPARE(problem(TemplateTable::parse(embeddedNameList("templates"))), QString());
        QCOMPARE(problem(UnitNames::parse(embeddedNameList("units"))), QString());
        QCOMPARE(problem(parseTagKinds(embeddedNameList("tags"))), QString());
        const std::map<const char*, std::set<std::string>> keys{
            {"namespaces", {"hidden", "languages", "other", "projects"}},
            {"appendices", {"titles"}},
            {"abbreviations", {"before_number", "never_last", "sometimes_last"}}};
        for (const auto& [list, known] : keys) {
            std::set<std::string> found;
            for (const ListedName& name : parseNameList(embeddedNameList(list)).value())
                found.insert(name.keys.front());
            QVERIFY2(found == known, list);
        }
    }

    void everyRuleHasATemplate()
    {
        std::set<std::string> listed;
        for (const ListedName& name : parseNameList(embeddedNameList("templates")).value()) {
            if (name.isAt("rules", 2))
                listed.insert(name.keys[1]);
        }
        for (const auto& rules : {wordRules(), numberRules(), dateRules()}) {
            for (const TemplateRule& rule : rules)
                QVERIFY2(listed.contains(std::string(rule.name)), rule.name.data());
        }
    }

    void findsTemplatesByTheirLists()
    {
        const auto table = TemplateTable::parse(R"({
            "rules": {"second": ["lang"], "literal": {"–": ["ndash"]}, "prefix": {"USS ": ["uss"]}},
            "pronunciation_prefixes": ["ipac-"], "french_ordinal_endings": ["e"]})")
                               .value();
        const auto text = [&](const std::string& name, std::string_view call) {
            return QString::fromStdString((*table.find(name))(TemplateCall(call)));
        };
        QCOMPARE(text("lang", "lang|el|word"), "word");
        QCOMPARE(text("ndash", "ndash"), "–");
        QCOMPARE(text("uss", "uss|Iowa"), "USS Iowa");
        QCOMPARE(table.find("nowrap"), nullptr);
        QVERIFY(table.isPronunciation("ipac-en") && !table.isPronunciation("ipa"));
        QVERIFY(table.isFrenchOrdinal("xixe") && !table.isFrenchOrdinal("1er") &&
                !table.isFrenchOrdinal("e"));
    }

    void refusesABrokenListOfTemplates_data()
    {
        addProblems({
            {"no JSON", R"({"rules": )", "not a JSON object"},
            {"no object", R"(["nowrap"])", "not a JSON object"},
            {"unknown rule", R"({"rules": {"frist": ["nowrap"]}})", R"(rules.frist: "nowrap": unknown rule)"},
            {"unknown key", R"({"rule": {"first": ["nowrap"]}})", R"(rule.first: "nowrap": unknown rule)"},
            {"text for a rule without one", R"({"rules": {"first": {"x": ["nowrap"]}}})",
             R"(rules.first.x: "nowrap": unknown rule)"},
            {"no text", R"({"rules": {"literal": ["ndash"]}})", R"(rules.literal: "ndash": unknown rule)"},
            {"listed twice", R"({"rules": {"first": ["nowrap"], "last": ["nowrap"]}})",
             R"(rules.last: "nowrap": has a rule already)"},
            {"rule twice", R"({"rules": {"first": ["nowrap"], "first": ["nobr"]}})",
             R"(the key "first" occurs twice)"},
            {"upper case", R"({"rules": {"first": ["Nowrap"]}})",
             R"(rules.first: "Nowrap": not the name of a template in lower case)"},
            {"underscore", R"({"rules": {"first": ["no_wrap"]}})",
             R"(rules.first: "no_wrap": not the name of a template in lower case)"},
            {"blank at the end", R"({"rules": {"first": ["nowrap "]}})",
             R"(rules.first: "nowrap ": not the name of a template in lower case)"},
            {"empty name", R"({"rules": {"first": [""]}})", R"(rules.first: "": empty name)"},
            {"number", R"({"rules": {"first": [1]}})", R"(rules.first: "1": neither a name nor a list)"},
        });
    }
    void refusesABrokenListOfTemplates()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, expected);
        QCOMPARE(problem(TemplateTable::parse(json.toStdString())), expected);
    }

    void refusesABrokenListOfUnits_data()
    {
        addProblems({
            {"unknown key", R"({"symbol": {"sqmi": "sq mi"}})", R"(symbol.sqmi: "sq mi": unknown key)"},
            {"no code", R"({"symbols": ["sqmi"]})", R"(symbols: "sqmi": unknown key)"},
            {"code twice", R"({"symbols": {"sqmi": "sq mi", "sqmi": "mi²"}})",
             R"(the key "sqmi" occurs twice)"},
        });
    }
    void refusesABrokenListOfUnits()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, expected);
        QCOMPARE(problem(UnitNames::parse(json.toStdString())), expected);
    }

    void refusesABrokenListOfTags_data()
    {
        addProblems({
            {"unknown kind", R"({"blocks": ["div"]})", R"(blocks: "div": unknown kind)"},
            {"nested", R"({"block": {"x": ["div"]}})", R"(block.x: "div": unknown kind)"},
            {"listed twice", R"({"block": ["div"], "inline": ["div"]})",
             R"(inline: "div": has a kind already)"},
        });
    }
    void refusesABrokenListOfTags()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, expected);
        QCOMPARE(problem(parseTagKinds(json.toStdString())), expected);
    }
};

QTEST_APPLESS_MAIN(TestWikiLists)
#include "tst_wiki_lists.moc"
