#include "app/trial/model/trial_answer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

const QString kMask = QStringLiteral("[MASK]");
const QString kContinues = QStringLiteral("##");

QList<MaskAnswer> answersIn(const QJsonArray& list)
{
    QList<MaskAnswer> answers;
    for (const auto& each : list) {
        const QJsonObject answer = each.toObject();
        const QString word = answer["text"].toString(QString::number(answer["token"].toInteger()));
        answers.append(MaskAnswer{oneLine(word), answer["probability"].toDouble()});
    }
    return answers;
}

/// Of the only prompt.
QList<QList<MaskAnswer>> masksIn(const QJsonArray& prompts)
{
    QList<QList<MaskAnswer>> masks;
    for (const auto& mask : prompts.at(0).toArray())
        masks.append(answersIn(mask.toObject()["answers"].toArray()));
    return masks;
}

LabelShare labelIn(const QJsonObject& json)
{
    return {oneLine(json["label"].toString()), json["probability"].toDouble()};
}

QList<LabelShare> labelsIn(const QJsonArray& list)
{
    QList<LabelShare> labels;
    for (const auto& each : list)
        labels.append(labelIn(each.toObject()));
    return labels;
}

QList<TaggedWord> wordsIn(const QJsonArray& list)
{
    QList<TaggedWord> words;
    for (const auto& each : list) {
        const QJsonObject json = each.toObject();
        const LabelShare best = labelIn(json["labels"].toArray().at(0).toObject());
        words.append({oneLine(json["text"].toString()), json["begin"].toInteger(), json["end"].toInteger(),
                      best.label, best.probability});
    }
    return words;
}

QList<FoundAnswer> foundIn(const QJsonArray& list)
{
    QList<FoundAnswer> answers;
    for (const auto& each : list) {
        const QJsonObject json = each.toObject();
        answers.append({json["text"].toString(), json["begin"].toInteger(-1), json["end"].toInteger(-1),
                        json["score"].toDouble(), json["probability"].toDouble()});
    }
    return answers;
}

/// The text behind so many code points.
qsizetype placeOf(const QString& text, qsizetype codePoints)
{
    qsizetype place = 0;
    for (; codePoints > 0 && place < text.size(); --codePoints)
        place += text[place].isHighSurrogate() && place + 1 < text.size() ? 2 : 1;
    return place;
}

} // namespace

Status TrialAnswer::take(const QString& piece)
{
    if (m_isBroken)
        return {};
    m_pending += piece.toUtf8();
    for (qsizetype end; (end = m_pending.indexOf('\n')) >= 0;) {
        const Status taken = takeLine(m_pending.left(end));
        m_pending.remove(0, end + 1);
        if (!taken.ok()) {
            m_isBroken = true;
            return taken;
        }
    }
    return {};
}

Status TrialAnswer::takeLine(const QByteArray& line)
{
    const QJsonDocument document = QJsonDocument::fromJson(line);
    if (!document.isObject())
        return failed("the host answers in an unknown form: " +
                          oneLine(QString::fromUtf8(line)).toStdString(),
                      "its engine may be of another version: check the host, then try again");
    const QJsonObject json = document.object();
    if (json.contains(QLatin1String("token"))) {
        ++m_newTokens;
        m_continuation += json["text"].toString();
    } else if (json.contains(QLatin1String("masks"))) {
        m_masks = masksIn(json["masks"].toArray());
    } else {
        takeTask(json);
    }
    return {};
}

/// Of the only prompt.
void TrialAnswer::takeTask(const QJsonObject& json)
{
    m_labels = labelsIn(json["labels"].toArray().at(0).toArray());
    m_words = wordsIn(json["words"].toArray().at(0).toArray());
    m_answers = foundIn(json["answers"].toArray().at(0).toArray());
    const QJsonValue value = json["values"].toArray().at(0);
    if (value.isDouble())
        m_value = value.toDouble();
}

bool TrialAnswer::isOfTask() const
{
    return !m_labels.isEmpty() || m_value || !m_words.isEmpty() || !m_answers.isEmpty();
}

QList<TextMark> marksIn(const QString& text, const TrialAnswer& answer)
{
    QList<TextMark> marks;
    const auto add = [&](qsizetype begin, qsizetype end) {
        marks.append({placeOf(text, begin), placeOf(text, end)});
    };
    for (const TaggedWord& word : answer.words()) {
        if (word.label != QLatin1String("O"))
            add(word.begin, word.end);
    }
    if (!answer.answers().isEmpty() && answer.answers().first().isAnswer())
        add(answer.answers().first().begin, answer.answers().first().end);
    return marks;
}

QString filledText(const QString& text, const QList<QList<MaskAnswer>>& masks)
{
    QStringList parts = text.split(kMask);
    if (parts.size() != masks.size() + 1)
        return {};
    QString filled = parts.takeFirst();
    for (qsizetype i = 0; i < parts.size(); ++i) {
        QString word = masks[i].isEmpty() ? kMask : masks[i].first().word;
        if (word.startsWith(kContinues) && word.size() > kContinues.size()) {
            word.remove(0, kContinues.size());
            while (filled.endsWith(QLatin1Char(' ')))
                filled.chop(1);
        }
        filled += word + parts[i];
    }
    return filled;
}

} // namespace trainyard
