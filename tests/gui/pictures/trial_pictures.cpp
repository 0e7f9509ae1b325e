#include <QCheckBox>
#include <QMap>
#include <QPlainTextEdit>

#include "app/trial/answer_view.h"
#include "app/trial/try_page.h"
#include "tests/gui/pictures/picture_runs.h"
#include "tests/gui/pictures/run_views.h"

namespace trainyard::pictures {

namespace {

/// A trial of this run's checkpoint, and of another one next to it if there is a second status.
void showTrial(DeskWindow& desk, const QString& run, const QList<TrialStatus>& statuses)
{
    forgetGone(desk);
    auto& page = placeOf<TryPage>(desk);
    page.setModel(run, 2000);
    page.findChild<QCheckBox*>(QStringLiteral("compares"))->setChecked(statuses.size() > 1);
    page.findChild<QPlainTextEdit*>(QStringLiteral("text"))->setPlainText(statuses.first().text.text);
    page.findChild<QPlainTextEdit*>(QStringLiteral("pair"))->setPlainText(statuses.first().text.pair);
    const auto views = page.findChildren<AnswerView*>();
    for (qsizetype i = 0; i < statuses.size(); ++i)
        views[i]->setStatus(statuses[i]);
}

TrialStatus trialOf(const QString& model, const QString& text, const QString& output)
{
    TrialStatus status;
    status.state = TrialStatus::State::Done;
    status.model = model;
    status.text = {text};
    status.seconds = 2.4;
    (void)status.answer.take(output).ok();
    return status;
}

TrialStatus filledMasks(const QString& model, double best)
{
    const QString answer = QStringLiteral(R"({"token":%1,"text":"%2","probability":%3})");
    QStringList masks;
    for (const QStringList& words : {QStringList{"station", "city", "platform", "town", "village"},
                                     QStringList{"midnight", "noon", "night", "dawn", "##time"}}) {
        QStringList answers;
        double left = 1;
        for (const QString& word : words) {
            answers << answer.arg(answers.size()).arg(word).arg(left * best);
            left *= 1 - best;
        }
        masks << QStringLiteral(R"({"position":1,"answers":[%1]})").arg(answers.join(','));
    }
    return trialOf(model, QStringLiteral("The last train leaves the [MASK] long before [MASK]."),
                   QStringLiteral("{\"masks\":[[%1]]}\n").arg(masks.join(',')));
}

TrialStatus continuedText(const QString& model, const QString& continuation)
{
    QString output;
    for (const QString& word : continuation.split(' '))
        output += QStringLiteral("{\"prompt\":0,\"token\":1,\"text\":\" %1\"}\n").arg(word);
    return trialOf(model, QStringLiteral("The first railway of the country"), output);
}

TrialStatus classified(const QString& model, double best)
{
    const QString label = QStringLiteral(R"({"label":"%1","id":%2,"probability":%3})");
    QStringList labels;
    double left = 1;
    for (const QString& name : {QStringLiteral("delay"), QStringLiteral("ticket refund"),
                                QStringLiteral("lost property"), QStringLiteral("praise")}) {
        labels << label.arg(name).arg(labels.size()).arg(left * best);
        left *= 1 - best;
    }
    return trialOf(model, QStringLiteral("The train was forty minutes late and nobody told us why."),
                   QStringLiteral("{\"labels\":[[%1]]}\n").arg(labels.join(',')));
}

/// With so many words that the table scrolls.
TrialStatus tagged()
{
    const QString text =
        QStringLiteral("The last train from Vienna to Prague was driven by Anna Novak of the "
                       "Northern Railway on 3 May.");
    const QMap<QString, QString> labels{{"Vienna", "B-LOC"}, {"Prague", "B-LOC"},   {"Anna", "B-PER"},
                                        {"Novak", "I-PER"},  {"Northern", "B-ORG"}, {"Railway", "I-ORG"}};
    const QString word = QStringLiteral(
        R"({"text":"%1","begin":%2,"end":%3,"labels":[{"label":"%4","id":0,"probability":%5}]})");
    QStringList words;
    qsizetype begin = 0;
    for (const QString& each : text.split(' ')) {
        words << word.arg(each)
                     .arg(begin)
                     .arg(begin + each.size())
                     .arg(labels.value(each, "O"))
                     .arg(labels.contains(each) ? 0.94 : 0.998);
        begin += each.size() + 1;
    }
    return trialOf(QStringLiteral("bert-base-conll · Step 2 000"), text,
                   QStringLiteral("{\"words\":[[%1]]}\n").arg(words.join(',')));
}

TrialStatus answered()
{
    const QString context = QStringLiteral(
        "The first railway of the country was opened in 1837 between the capital and the summer residence, a "
        "line of about twenty kilometres. The engines had been built abroad and came by ship; the coaches "
        "were "
        "made in the workshops of the town under the direction of Franz von Gerstner, who had planned the "
        "line.");
    const QString answer = QStringLiteral(R"({"text":"%1","begin":%2,"end":%3,"score":%4,"probability":%5})");
    QStringList answers;
    double score = 13.2;
    double left = 1;
    for (const QString& text :
         {QStringLiteral("Franz von Gerstner"), QStringLiteral("von Gerstner"), QStringLiteral("Gerstner"),
          QStringLiteral("the direction of Franz von Gerstner")}) {
        const qsizetype begin = context.indexOf(text);
        answers << answer.arg(text).arg(begin).arg(begin + text.size()).arg(score).arg(left * 0.81);
        score -= 2.1;
        left *= 0.19;
    }
    answers << QStringLiteral(R"({"text":"","score":1.3,"probability":0.0008})");
    TrialStatus status = trialOf(QStringLiteral("bert-large-squad · Best by held-out evaluation"),
                                 QStringLiteral("Who planned the line?"),
                                 QStringLiteral("{\"answers\":[[%1]]}\n").arg(answers.join(',')));
    status.text.pair = context;
    return status;
}

const QString kContinuation = QStringLiteral(
    "was opened in 1837 between the capital and the summer residence , a line of about twenty kilometres "
    "that carried two and a half thousand passengers on its first day . The engines had been built abroad "
    "and "
    "came by ship ; the coaches were made in the workshops of the town .");

TrialStatus failedTrial()
{
    TrialStatus status =
        trialOf(QStringLiteral("bert-base-phase2 · Newest"), QStringLiteral("The [MASK]"), {});
    status.state = TrialStatus::State::Failed;
    status.error = badInput("the vocabulary of the run's data set cannot be read: "
                            "/data/corpora/enwiki-20261101-seq128/manifest.json: no such file or directory",
                            "name the model's vocab.txt with --vocab, or give numbers with --token-ids");
    return status;
}

TrialStatus startingTrial()
{
    TrialStatus status;
    status.state = TrialStatus::State::Starting;
    status.model = QStringLiteral("bert-large-phase1 · Step 2 000");
    status.text = {QStringLiteral("The [MASK]")};
    status.activity = QStringLiteral("loading the model on gpu-03.cluster.example.org");
    return status;
}

} // namespace

const QList<Picture>& trialPictures()
{
    static const QList<Picture> list{
        {"try",
         [](DeskWindow& desk) {
             showTrial(desk, kResumed, {filledMasks("bert-base-phase2 · Newest", 0.62)});
         }},
        {"try-two",
         [](DeskWindow& desk) {
             showTrial(desk, kResumed,
                       {filledMasks("bert-base-phase2 · Step 2 000", 0.31),
                        filledMasks("bert-base-phase2 · Newest", 0.62)});
         }},
        {"try-text",
         [](DeskWindow& desk) {
             showTrial(
                 desk, kResumed,
                 {continuedText("gpt-small · Step 1 000", kContinuation.left(kContinuation.size() / 3)),
                  continuedText("gpt-small-with-a-long-name-that-does-not-fit · Newest", kContinuation)});
         }},
        {"try-classified",
         [](DeskWindow& desk) {
             showTrial(desk, kClassifies,
                       {classified("bert-base-mails · Step 1 000", 0.44),
                        classified("bert-base-mails · Newest", 0.83)});
         }},
        {"try-tagged", [](DeskWindow& desk) { showTrial(desk, kTags, {tagged()}); }},
        {"try-answered", [](DeskWindow& desk) { showTrial(desk, kAnswers, {answered()}); }},
        {"try-value",
         [](DeskWindow& desk) {
             showTrial(desk, kClassifies,
                       {trialOf("bert-base-sts · Newest", "The train is late.", "{\"values\":[3.8721]}\n")});
         }},
        {"try-starting", [](DeskWindow& desk) { showTrial(desk, kLive, {startingTrial()}); }},
        {"try-failed", [](DeskWindow& desk) { showTrial(desk, kResumed, {failedTrial()}); }}};
    return list;
}

} // namespace trainyard::pictures
