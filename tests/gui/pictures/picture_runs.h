#pragma once

#include <QString>
#include <QStringList>

namespace trainyard::pictures {

/// Writes the runs of a few busy days into the desk data folder `desk`: one at work, a scaling study, a
/// failed one with a long name, one that was killed and resumed, one that was stopped.
void writeRuns(const QString& desk);

/// Their ids.
inline const QString kLive = QStringLiteral("20261121T081500Z-bert-large-phase1-3f2a");
inline const QString kFailed = QStringLiteral(
    "20261120T101010Z-a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch-00aa");
inline const QString kResumed = QStringLiteral("20261119T193000Z-bert-base-phase2-77c1");
inline const QString kStopped = QStringLiteral("20261119T070000Z-lamb-probe-51d0");
inline const QString kDiverged = QStringLiteral("20261119T010000Z-bert-large-phase1-lr6e-3-61d1");
inline const QString kOverfitted = QStringLiteral("20261118T230000Z-bert-base-small-corpus-9e04");
inline const QString kReached = QStringLiteral("20261118T210000Z-bert-base-to-target-2c5d");
inline const QString kAnswers = QStringLiteral("20261117T210000Z-bert-large-squad-7a10");
inline const QString kClassifies = QStringLiteral("20261117T200000Z-bert-base-mails-7a11");
inline const QString kTags = QStringLiteral("20261117T190000Z-bert-base-conll-7a12");
inline const QString kPhased = QStringLiteral("20261118T190000Z-bert-base-two-phases-8d13");
inline const QString kMixture = QStringLiteral("20261118T180000Z-mixture-64-experts-8d14");

/// The run of the scaling study on this many ranks.
QString studyId(int ranks);
/// The whole study: 1, 2, 4 and 8 ranks.
QStringList study();

} // namespace trainyard::pictures
