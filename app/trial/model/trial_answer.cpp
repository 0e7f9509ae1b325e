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
    }
    return {};
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
