#include "app/hosts/model/ssh_config_hosts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace trainyard {

namespace {

constexpr int kMaxIncludeDepth = 8; // ssh itself stops at 16; a loop must end

void collect(const QString& file, int depth, QStringList& hosts);

void collectIncluded(const QString& pattern, const QDir& folder, int depth, QStringList& hosts)
{
    QString path = pattern;
    if (path.startsWith(QLatin1String("~/")))
        path = QDir::homePath() + path.mid(1);
    const QFileInfo info(QDir::isAbsolutePath(path) ? path : folder.filePath(path));
    const auto files = info.dir().entryList({info.fileName()}, QDir::Files, QDir::Name);
    for (const QString& name : files)
        collect(info.dir().filePath(name), depth + 1, hosts);
}

void addHost(const QString& word, QStringList& hosts)
{
    static const QRegularExpression pattern(QStringLiteral("[*?!]"));
    if (!word.contains(pattern) && !hosts.contains(word))
        hosts << word;
}

void collect(const QString& file, int depth, QStringList& hosts)
{
    QFile config(file);
    if (depth > kMaxIncludeDepth || !config.open(QIODevice::ReadOnly | QIODevice::Text))
        return;
    static const QRegularExpression separators(QStringLiteral("[\\s=\"]+"));
    while (!config.atEnd()) {
        QStringList words = QString::fromUtf8(config.readLine()).split(separators, Qt::SkipEmptyParts);
        if (words.size() < 2 || words.front().startsWith(QLatin1Char('#')))
            continue;
        const QString keyword = words.takeFirst().toLower();
        for (const QString& word : words) {
            if (keyword == QLatin1String("host"))
                addHost(word, hosts);
            else if (keyword == QLatin1String("include"))
                collectIncluded(word, QFileInfo(file).dir(), depth, hosts);
        }
    }
}

} // namespace

QStringList sshConfigHosts(const QString& file)
{
    QStringList hosts;
    collect(file, 0, hosts);
    return hosts;
}

QString userSshConfig()
{
    return QDir::home().filePath(QStringLiteral(".ssh/config"));
}

} // namespace trainyard
