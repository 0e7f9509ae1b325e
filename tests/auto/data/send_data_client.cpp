#include <cstdio>

#include <QCoreApplication>

#include "remote/data/data_send.h"

using namespace trainyard;

/// send_data_client AGENT KEY KNOWN_HOSTS FOLDER HOST...: sends a data set as `trainyard data send` does, and
/// prints a line when it begins.
int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    TargetOptions options;
    options.agentPath = words[1];
    options.user = "root";
    options.sshConfigFile = "none";
    options.identityFiles = QStringList{words[2]};
    options.knownHostsFile = words[3];
    options.useSshAgent = false;
    TargetPool pool(options);
    DataSend send({{}, words[4]}, words.mid(5), pool);
    QObject::connect(&send, &DataSend::progress, &send, [](const QString& text, double) {
        std::printf("%s\n", qPrintable(text));
        std::fflush(stdout);
    });
    QObject::connect(&send, &DataSend::finished, &send, [](const Status& result) {
        if (!result.ok())
            std::fprintf(stderr, "%s\n", result.error().text().c_str());
        QCoreApplication::exit(result.ok() ? 0 : 1);
    });
    send.start();
    return QCoreApplication::exec();
}
