#pragma once

#include <optional>

#include <QByteArray>
#include <QList>
#include <QString>

#include "engine/base/result.h"

class QJsonObject;

namespace trainyard {

/// A word that a model would put in the place of a mask.
struct MaskAnswer {
    QString word; ///< as the vocabulary spells it: "##s" continues the word before
    double probability = 0;

    bool operator==(const MaskAnswer&) const = default;
};

struct LabelShare {
    QString label;
    double probability = 0;

    bool operator==(const LabelShare&) const = default;
};

/// Places count code points, as `try` does; see TextMark.
struct TaggedWord {
    QString text;
    qsizetype begin = 0;
    qsizetype end = 0; ///< behind the last one
    QString label;     ///< the most probable one
    double probability = 0;

    bool operator==(const TaggedWord&) const = default;
};

/// An answer to a question, or that the text has none.
struct FoundAnswer {
    QString text;
    qsizetype begin = -1; ///< code points of the text; -1: it has none
    qsizetype end = -1;
    double score = 0;
    double probability = 0;

    bool isAnswer() const { return begin >= 0; }
    bool operator==(const FoundAnswer&) const = default;
};

/// What `try --json --stream` has printed so far: new tokens of a text, the answers for its masks, or what a
/// model of a task says about it. Takes the output in pieces of any size.
class TrialAnswer {
public:
    /// Failed when the output is something else; later pieces are ignored then.
    Status take(const QString& piece);

    /// What the new tokens add to the text.
    const QString& continuation() const { return m_continuation; }
    int newTokens() const { return m_newTokens; }
    /// For each mask of the text its best answers, most probable first; empty for a text that is continued.
    const QList<QList<MaskAnswer>>& masks() const { return m_masks; }

    // Of a model of a task; empty for other tasks.

    const QList<LabelShare>& labels() const { return m_labels; } ///< of the text, most probable first
    const std::optional<double>& value() const { return m_value; }
    const QList<TaggedWord>& words() const { return m_words; }
    const QList<FoundAnswer>& answers() const { return m_answers; } ///< highest score first
    bool isOfTask() const;
    bool isEmpty() const { return m_newTokens == 0 && m_masks.isEmpty() && !isOfTask(); }

private:
    Status takeLine(const QByteArray& line);
    void takeTask(const QJsonObject& json);

    QByteArray m_pending; ///< a line that is not complete yet
    QString m_continuation;
    int m_newTokens = 0;
    QList<QList<MaskAnswer>> m_masks;
    QList<LabelShare> m_labels;
    std::optional<double> m_value;
    QList<TaggedWord> m_words;
    QList<FoundAnswer> m_answers;
    bool m_isBroken = false;
};

/// `text` with the best answer in the place of each "[MASK]"; empty when the numbers of masks differ.
QString filledText(const QString& text, const QList<QList<MaskAnswer>>& masks);

/// A part of a text, as QString counts it.
struct TextMark {
    qsizetype begin = 0;
    qsizetype end = 0;

    bool operator==(const TextMark&) const = default;
};

/// The parts of `text` that an answer is about, in their order: the best answer to a question, or the words
/// whose label is not "O", which stands for none.
QList<TextMark> marksIn(const QString& text, const TrialAnswer& answer);

} // namespace trainyard
