#include "datasets/metrics/answer_scores.h"

#include <algorithm>
#include <array>
#include <map>

#include "datasets/corpus/letters.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr std::string_view kPunctuation = R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~)";
constexpr std::array<std::string_view, 3> kArticles{"a", "an", "the"};

std::string withoutPunctuation(std::string text)
{
    std::erase_if(text, [](char c) { return kPunctuation.find(c) != std::string_view::npos; });
    return text;
}

/// What the expression \b(a|an|the)\b takes for part of a word.
bool isWordCharacter(char32_t code)
{
    return (letterKinds(code) & (letter_kind::kLetter | letter_kind::kDigit)) != 0;
}

bool isArticle(std::string_view word)
{
    return std::ranges::find(kArticles, word) != kArticles.end();
}

/// A blank in place of each article between other characters than those of words: "a–b" has one.
std::string withoutArticles(std::string_view text)
{
    std::string result;
    std::string word;
    const auto endWord = [&] {
        result += isArticle(word) ? " " : word;
        word.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        const bool inWord = isWordCharacter(c.code);
        if (!inWord)
            endWord();
        (inWord ? word : result).append(text, at, c.bytes);
        at += c.bytes;
    }
    endWord();
    return result;
}

std::vector<std::string> splitAtBlanks(std::string_view text)
{
    std::vector<std::string> words(1);
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        if ((letterKinds(c.code) & letter_kind::kStripped) == 0)
            words.back().append(text, at, c.bytes);
        else if (!words.back().empty())
            words.emplace_back();
        at += c.bytes;
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

std::vector<std::string> tokensOf(std::string_view answer)
{
    return splitAtBlanks(withoutArticles(withoutPunctuation(lowerCase(answer))));
}

int commonCount(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    std::map<std::string_view, int> counts;
    for (const std::string& token : a)
        ++counts[token];
    int common = 0;
    for (const std::string& token : b)
        common += counts[token]-- > 0;
    return common;
}

double overlapOf(const std::vector<std::string>& predicted, const std::vector<std::string>& accepted,
                 AnswerScores::Rules rules)
{
    if (rules == AnswerScores::Rules::Squad2 && (predicted.empty() || accepted.empty()))
        return predicted == accepted;
    const int common = commonCount(predicted, accepted);
    if (common == 0)
        return 0;
    const double precision = double(common) / double(predicted.size());
    const double recall = double(common) / double(accepted.size());
    return 2 * precision * recall / (precision + recall);
}

/// Those that the script compares with: an answer of nothing but articles is none in the second version.
std::vector<std::vector<std::string>> comparedAnswers(const std::vector<std::string>& accepted,
                                                      AnswerScores::Rules rules)
{
    std::vector<std::vector<std::string>> compared;
    for (const std::string& answer : accepted) {
        std::vector<std::string> tokens = tokensOf(answer);
        if (rules == AnswerScores::Rules::Squad1 || !tokens.empty())
            compared.push_back(std::move(tokens));
    }
    if (compared.empty() && rules == AnswerScores::Rules::Squad2)
        compared.emplace_back();
    return compared;
}

} // namespace

std::string normalizedAnswer(std::string_view answer)
{
    std::string normalized;
    for (const std::string& token : tokensOf(answer))
        normalized.append(normalized.empty() ? "" : " ").append(token);
    return normalized;
}

void AnswerScores::add(std::string_view predicted, const std::vector<std::string>& accepted)
{
    const std::vector<std::string> tokens = tokensOf(predicted);
    Part question{.questions = 1};
    for (const std::vector<std::string>& answer : comparedAnswers(accepted, m_rules)) {
        question.exact = std::max(question.exact, double(tokens == answer));
        question.overlap = std::max(question.overlap, overlapOf(tokens, answer, m_rules));
    }
    m_all.add(question);
    (accepted.empty() ? m_withoutAnswer : m_withAnswer).add(question);
}

void AnswerScores::add(const AnswerScores& other)
{
    m_all.add(other.m_all);
    m_withAnswer.add(other.m_withAnswer);
    m_withoutAnswer.add(other.m_withoutAnswer);
}

void AnswerScores::Part::add(const Part& other)
{
    questions += other.questions;
    exact += other.exact;
    overlap += other.overlap;
}

} // namespace trainyard
