#include "tests/support/lab/small_data_set.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/support/lab/lab_process.h"

namespace trainyard::lab {

QString makeSmallDataSet(const QString& folder, int shards)
{
    const Finished made =
        runCommand({QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-prepare"), "prepare",
                    QStringLiteral(TRAINYARD_SOURCE_DIR "/resources/samples/trainyard-sample.xml.bz2"),
                    "--train-vocab", "1000", "--out", folder, "--seq-len", "64", "--max-pred", "10",
                    "--shards", QString::number(shards)});
    return made.ok() ? QString() : "cannot prepare the data set: " + QString(made.errors);
}

int vocabularySizeOf(const QString& folder)
{
    QFile manifest(folder + "/manifest.json");
    return manifest.open(QIODevice::ReadOnly)
               ? QJsonDocument::fromJson(manifest.readAll()).object().value("vocabulary_size").toInt()
               : 0;
}

} // namespace trainyard::lab
