#include <QTest>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer_json/normal_forms.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/utf8.h"

using namespace trainyard;

namespace {

/// The text of form_digests() in tests/golden/tokenizer_json/make_golden.py.
std::string everyCodePoint()
{
    std::string text;
    const auto add = [&](char32_t first, char32_t end) {
        for (char32_t code = first; code < end; ++code) {
            appendUtf8(text, code);
            text += "\u0301\u0323\u09be\u1161\u11a8";
            appendUtf8(text, code);
            text += '\n';
        }
    };
    add(0, 0xD800);
    add(0xE000, 0x20000);
    add(0x2F800, 0x2FA20);
    return text;
}

} // namespace

class TestNormalForms : public QObject {
    Q_OBJECT

private slots:
    void agreeWithHuggingFace();
    void keepMarksOfTheirOwn();
};

void TestNormalForms::agreeWithHuggingFace()
{
    const auto digests = nlohmann::json::parse(
        readFile(TRAINYARD_SOURCE_DIR "/tests/golden/tokenizer_json/normal_forms.json").value());
    const std::string text = everyCodePoint();
    const auto digest = [&](const char* name) { return digests.at(name).get<std::string>(); };
    QCOMPARE(sha256Hex(normalized(NormalForm::Nfc, text)), digest("NFC"));
    QCOMPARE(sha256Hex(normalized(NormalForm::Nfd, text)), digest("NFD"));
    QCOMPARE(sha256Hex(normalized(NormalForm::Nfkc, text)), digest("NFKC"));
    QCOMPARE(sha256Hex(normalized(NormalForm::Nfkd, text)), digest("NFKD"));
    QCOMPARE(sha256Hex(lowerCased(text)), digest("Lowercase"));
}

void TestNormalForms::keepMarksOfTheirOwn()
{
    QCOMPARE(normalized(NormalForm::Nfc, ""), std::string());
    QCOMPARE(normalized(NormalForm::Nfc, "\u0301e\u0301e"),
             std::string("\u0301\u00E9e"));                                        // a mark in front of all
    QCOMPARE(normalized(NormalForm::Nfc, "s\u0307\u0323"), std::string("\u1E69")); // sorted, then joined
    QCOMPARE(normalized(NormalForm::Nfc, "\u1100\u1161\u11A8"), std::string("\uAC01"));
    QCOMPARE(normalized(NormalForm::Nfd, "plain\u00E9"), std::string("plaine\u0301"));
}

QTEST_APPLESS_MAIN(TestNormalForms)
#include "tst_normal_forms.moc"
