#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include "engine/base/process.h"
#include "engine/base/units.h"
#include "remote/agent/host/error_tail.h"

using namespace trainyard;
using namespace trainyard::agent;

/// What ssh says while an agent talks to its neighbour.
class TestErrorTail : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        Pipe pipe = makePipe().value();
        m_tail = ErrorTail(std::move(pipe.read));
        m_write = std::move(pipe.write);
        ::fcntl(m_write.get(), F_SETFL, O_NONBLOCK);
    }

    void theLastLineIsTheReason_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<QByteArray>("line");
        QTest::addRow("nothing") << QByteArray() << QByteArray();
        QTest::addRow("one line") << QByteArray("no route to host") << QByteArray("no route to host");
        QTest::addRow("a banner first")
            << QByteArray("Welcome\r\nPermission denied\r\n\n") << QByteArray("Permission denied");
    }
    void theLastLineIsTheReason()
    {
        QFETCH(QByteArray, said);
        QFETCH(QByteArray, line);
        say(said);
        m_tail.read();
        QCOMPARE(m_tail.lastLine(), line.toStdString());
    }

    /// With a level of logging for debugging in the user's settings it talks for hours.
    void muchTalkDoesNotFillThePipe()
    {
        for (int piece = 0; piece < 64; ++piece) {
            say(QByteArray(8 * kKiB, 'x') + '\n');
            m_tail.read();
        }
        say("the connection was reset\n");
        m_tail.read();
        QCOMPARE(m_tail.lastLine(), std::string("the connection was reset"));
    }

    void theEndIsNoticed()
    {
        say("bye\n");
        m_write.reset();
        m_tail.read();
        QCOMPARE(m_tail.fd(), -1);
        QCOMPARE(m_tail.lastLine(), std::string("bye"));
        m_tail.read();
    }

private:
    void say(const QByteArray& text)
    {
        QCOMPARE(::write(m_write.get(), text.constData(), static_cast<std::size_t>(text.size())),
                 static_cast<ssize_t>(text.size()));
    }

    ErrorTail m_tail;
    FileDescriptor m_write;
};

QTEST_GUILESS_MAIN(TestErrorTail)
#include "tst_error_tail.moc"
