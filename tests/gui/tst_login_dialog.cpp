#include <QScrollArea>
#include <QTest>

#include "app/shell/login_dialog.h"
#include "tests/support/patience.h"

using namespace trainyard;

/// What a host says at a login can be read, however much it is, and the fields can be filled in.
class TestLoginDialog : public QObject {
    Q_OBJECT

private slots:
    void showsAllThatAHostSays_data()
    {
        QTest::addColumn<QString>("instruction");
        QTest::addColumn<int>("prompts");
        QTest::newRow("nothing") << QString() << 1;
        QTest::newRow("a line") << QString("Enter the code that your device shows.") << 3;
        QTest::newRow("long lines")
            << QString("whoever goes on agrees to the terms of the site; ").repeated(10) << 1;
        QTest::newRow("many lines") << QString("line\n").repeated(100) << 8;
        QTest::newRow("markup") << QString("<b>bold</b><br><img src=x>") << 1;
    }
    void showsAllThatAHostSays()
    {
        QFETCH(QString, instruction);
        QFETCH(int, prompts);
        ssh::LoginInquiry question;
        question.kind = ssh::LoginInquiry::Kind::Challenge;
        question.host = "gpu-03";
        question.user = "ada";
        question.instruction = instruction.toStdString();
        for (int i = 0; i < prompts; ++i)
            question.prompts.push_back({"Question " + std::to_string(i) + ':', true});
        LoginDialog dialog(question, LoginDialog::Keyring::Absent);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog, kPatienceMs));
        bool said = instruction.isEmpty();
        for (const QLabel* label : dialog.findChildren<QLabel*>()) {
            if (!label->isVisible())
                continue;
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            said = said || label->text() == instruction;
        }
        QVERIFY(said);
        QVERIFY2(dialog.height() < 700, qPrintable(QString::number(dialog.height())));
        const auto fields = dialog.findChildren<QLineEdit*>();
        QCOMPARE(fields.size(), prompts);
        auto* form = dialog.findChild<QScrollArea*>();
        for (QLineEdit* field : fields) {
            field->setFocus(); // scrolls there
            form->ensureWidgetVisible(field);
            QVERIFY(!field->visibleRegion().isEmpty());
        }
    }

    void givesTheAnswersOnce()
    {
        ssh::LoginInquiry question;
        question.host = "gpu-03";
        question.user = "ada";
        question.prompts = {{"Password", false}};
        LoginDialog dialog(question, LoginDialog::Keyring::Absent);
        dialog.show();
        auto* field = dialog.findChild<QLineEdit*>();
        QCOMPARE(field->echoMode(), QLineEdit::Password);
        QTest::keyClicks(field, "wing'd");
        dialog.accept();
        const auto answer = dialog.takeAnswer();
        QVERIFY(answer);
        QCOMPARE(answer->secrets.size(), std::size_t(1));
        QVERIFY(answer->secrets.front().view() == "wing'd");
        QVERIFY(field->text().isEmpty());
    }
};

QTEST_MAIN(TestLoginDialog)
#include "tst_login_dialog.moc"
