#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

/// How often each class was predicted where each class is right: what accuracy, F1 and Matthews are made of.
/// Counts of several ranks or batches add up. One thread at a time.
class ConfusionMatrix {
public:
    /// Requires classes > 0.
    explicit ConfusionMatrix(int classes);

    /// Requires both below classes().
    void add(int expected, int predicted);
    /// Adds the counts of a matrix of as many classes.
    void add(const ConfusionMatrix& other);

    int classes() const { return m_classes; }
    std::int64_t count() const; ///< of all predictions
    std::int64_t count(int expected, int predicted) const { return m_counts[indexOf(expected, predicted)]; }

    // As scikit-learn computes them; 0 where a denominator is 0.

    double accuracy() const;
    /// Of one class against all others; GLUE's F1 is that of class 1.
    double f1(int label) const;
    /// Mean of f1() over the classes that occur, expected or predicted.
    double macroF1() const;
    /// Of any number of classes (Gorodkin, 2004).
    double matthews() const;

private:
    std::size_t indexOf(int expected, int predicted) const;
    std::int64_t expectedCount(int label) const;
    std::int64_t predictedCount(int label) const;
    std::int64_t correctCount() const;

    int m_classes;
    std::vector<std::int64_t> m_counts; ///< [expected, predicted]
};

} // namespace trainyard
