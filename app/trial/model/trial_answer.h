#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// A word that a model would put in the place of a mask.
struct MaskAnswer {
    QString word; ///< as the vocabulary spells it: "##s" continues the word before
    double probability = 0;

    bool operator==(const MaskAnswer&) const = default;
};

/// What `try --json --stream` has printed so far: new tokens of a text, or the answers for its masks. Takes
/// the output in pieces of any size.
class TrialAnswer {
public:
    /// Failed when the output is something else; later pieces are ignored then.
    Status take(const QString& piece);

    /// What the new tokens add to the text.
    const QString& continuation() const { return m_continuation; }
    int newTokens() const { return m_newTokens; }
    /// For each mask of the text its best answers, most probable first; empty for a text that is continued.
    const QList<QList<MaskAnswer>>& masks() const { return m_masks; }
    bool isEmpty() const { return m_newTokens == 0 && m_masks.isEmpty(); }

private:
    Status takeLine(const QByteArray& line);

    QByteArray m_pending; ///< a line that is not complete yet
    QString m_continuation;
    int m_newTokens = 0;
    QList<QList<MaskAnswer>> m_masks;
    bool m_isBroken = false;
};

/// `text` with the best answer in the place of each "[MASK]"; empty when the numbers of masks differ.
QString filledText(const QString& text, const QList<QList<MaskAnswer>>& masks);

} // namespace trainyard
