#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A name, a place ... in a sentence, as its tags mark it.
struct Entity {
    std::string type; ///< "PER"
    std::size_t first = 0;
    std::size_t last = 0; ///< included

    auto operator<=>(const Entity&) const = default;
};

/// The entities of tags as CoNLL writes them: "B-PER", "I-PER", "E-PER", "S-PER", "O". Wrong sequences are
/// read leniently, as conlleval.pl and seqeval do: "I-PER" after "O" begins an entity.
std::vector<Entity> entitiesOf(const std::vector<std::string>& tags);

/// How many entities were found, each only if type, begin and end are right: precision, recall and F1 as
/// seqeval computes them by default. Counts of several ranks or batches add up. One thread at a time.
class EntityScores {
public:
    /// Requires as many tags on both sides.
    void add(const std::vector<std::string>& expected, const std::vector<std::string>& predicted);
    void add(const EntityScores& other);

    // 0 where a denominator is 0.

    double precision() const;
    double recall() const;
    double f1() const;

    std::int64_t expectedCount() const { return m_expected; }
    std::int64_t predictedCount() const { return m_predicted; }
    std::int64_t correctCount() const { return m_correct; }

private:
    std::int64_t m_expected = 0;
    std::int64_t m_predicted = 0;
    std::int64_t m_correct = 0;
};

} // namespace trainyard
