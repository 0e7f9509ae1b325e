#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// An answer as the scripts of SQuAD compare it: in lower case, without ASCII punctuation and English
/// articles, with single blanks.
std::string normalizedAnswer(std::string_view answer);

/// How well answers match those that people gave, as evaluate-v1.1.py and evaluate-v2.0.py of SQuAD compute
/// it. Counts of several ranks or batches add up. One thread at a time.
class AnswerScores {
public:
    enum class Rules {
        Squad1, ///< every question has an answer
        Squad2, ///< an empty answer says that the text has none
    };

    explicit AnswerScores(Rules rules) : m_rules(rules) {}

    /// `accepted`: of several people; none where the question has no answer. The best match counts.
    void add(std::string_view predicted, const std::vector<std::string>& accepted);
    void add(const AnswerScores& other);

    // In percent, as the scripts print them; 0 without questions.

    double exactMatch() const { return m_all.exactMatch(); }
    double f1() const { return m_all.f1(); }

    /// Of some of the questions.
    struct Part {
        std::int64_t questions = 0;
        double exact = 0; ///< sums over the questions
        double overlap = 0;

        double exactMatch() const { return questions == 0 ? 0 : 100.0 * exact / double(questions); }
        double f1() const { return questions == 0 ? 0 : 100.0 * overlap / double(questions); }
        void add(const Part& other);
    };
    const Part& all() const { return m_all; }
    const Part& withAnswer() const { return m_withAnswer; }       ///< HasAns_... of the script
    const Part& withoutAnswer() const { return m_withoutAnswer; } ///< NoAns_...

private:
    Rules m_rules;
    Part m_all;
    Part m_withAnswer;
    Part m_withoutAnswer;
};

} // namespace trainyard
