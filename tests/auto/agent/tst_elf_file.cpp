#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

#include "engine/base/file.h"
#include "remote/wire/elf_file.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

/// What binutils say about the same file.
QByteArray readelf(const QStringList& arguments)
{
    QProcess program;
    program.start("readelf", arguments);
    return program.waitForFinished(kPatienceMs) ? program.readAllStandardOutput() : QByteArray();
}

} // namespace

class TestElfFile : public QObject {
    Q_OBJECT

private slots:
    void readsWhatReadelfReads_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file : {"/bin/sh", "/usr/bin/env", "/lib/x86_64-linux-gnu/libstdc++.so.6",
                                 "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6"})
            QTest::addRow("%s", file) << QString(file);
    }
    void readsWhatReadelfReads()
    {
        QFETCH(QString, file);
        if (!QFile::exists(file))
            QSKIP(qPrintable("there is no " + file));
        const auto elf = readElf(file.toStdString());
        QVERIFY2(elf.ok() && *elf, elf.ok() ? "not ELF" : elf.error().text().c_str());
        const QByteArray dynamic = readelf({"-dW", file});
        QCOMPARE(dynamic.count("(NEEDED)"), qsizetype((**elf).needs.size()));
        const QByteArray versions = readelf({"-VW", file});
        for (const auto& [library, needed] : (**elf).needs) {
            QVERIFY2(dynamic.contains("[" + QByteArray::fromStdString(library) + "]"), library.c_str());
            for (const std::string& version : needed)
                QVERIFY2(versions.contains("Name: " + QByteArray::fromStdString(version)), version.c_str());
        }
        for (const std::string& version : (**elf).versions)
            QVERIFY2(versions.contains("Name: " + QByteArray::fromStdString(version)), version.c_str());
        const qsizetype defined = versions.count(": Rev: ");
        QCOMPARE(qsizetype((**elf).versions.size()), defined);
    }

    void knowsTheOldestKernelOfTheCLibrary()
    {
        const QString file = "/lib/x86_64-linux-gnu/libc.so.6";
        if (!QFile::exists(file))
            QSKIP("there is no glibc for this processor here");
        const std::string kernel = readElf(file.toStdString()).value()->kernel;
        QVERIFY2(
            readelf({"-n", file}).contains("OS: Linux, ABI: " + QByteArray::fromStdString(kernel) + '\n'),
            kernel.c_str());
        QVERIFY(!kernel.empty());
    }

    void passesOverWhatIsSomethingElse()
    {
        for (const std::string& text : {std::string(), std::string("#!/bin/sh\n"),
                                        std::string("\x7f"
                                                    "ELF")}) {
            const auto elf = readElf(write(text));
            QVERIFY(elf.ok() && !*elf);
        }
        QVERIFY(!readElf("/no/such/file").ok());
    }

    /// Cut anywhere or with any byte changed it is read, or refused with its name; never more.
    void survivesDamage()
    {
        const std::string whole = readFile("/usr/bin/env").value();
        unsigned state = 1;
        for (int round = 0; round < 1000; ++round) {
            state = state * 1664525 + 1013904223;
            std::string bytes = whole;
            if (round % 3 == 0)
                bytes.resize(state % bytes.size());
            else
                bytes[(state >> 8) % (round % 3 == 1 ? 1024 : bytes.size())] = static_cast<char>(state);
            const auto elf = readElf(write(bytes));
            if (!elf.ok())
                QVERIFY(elf.error().message.find("is damaged") != std::string::npos);
        }
    }

    void comparesVersionsByTheirNumbers()
    {
        QCOMPARE(newestVersion({"GLIBC_2.4", "GLIBC_2.36", "GLIBC_PRIVATE", "GLIBCXX_9.9"}, "GLIBC_"),
                 std::string("2.36"));
        QCOMPARE(newestVersion({"GCC_3.0"}, "GLIBC_"), std::string());
        QVERIFY(isOlder("2.9", "2.36"));
        QVERIFY(isOlder("2.36", "2.36.1"));
        QVERIFY(isOlder("", "1"));
        QVERIFY(!isOlder("10", "9.9"));
    }

private:
    std::string write(const std::string& bytes)
    {
        const std::string path = m_folder.filePath("file").toStdString();
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        return path;
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestElfFile)
#include "tst_elf_file.moc"
