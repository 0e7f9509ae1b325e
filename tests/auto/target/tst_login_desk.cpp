#include <map>
#include <memory>

#include <QSignalSpy>
#include <QTest>

#include "remote/target/credential_broker.h"

using namespace trainyard;

namespace {

/// Keeps secrets as a system's keyring would, and answers when the test says so.
class FakeKeyring : public Keyring {
public:
    std::map<QString, std::string> kept;
    std::function<void()> answerRead;
    QStringList removed;

    bool isPresent() const override { return true; }
    bool holds(const QString& name) const override { return kept.contains(name); }
    void read(const QString& name, std::function<void(std::optional<ssh::Secret>)> done) override
    {
        answerRead = [this, name, done] { done(ssh::Secret(kept[name])); };
    }
    void write(const QString& name, const ssh::Secret& secret) override { kept[name] = secret.view(); }
    void remove(const QString& name) override
    {
        kept.erase(name);
        removed << name;
    }
};

ssh::LoginInquiry passwordQuestion(int attempt = 1)
{
    ssh::LoginInquiry question;
    question.kind = ssh::LoginInquiry::Kind::Password;
    question.host = "gate";
    question.account = "alice@gate";
    question.prompts = {{"Password", false}};
    question.attempt = attempt;
    return question;
}

CredentialBroker::Answer answerWith(const char* text, bool useAgain, bool keep = false)
{
    CredentialBroker::Answer answer;
    answer.secrets.emplace_back(text);
    answer.useAgain = useAgain;
    answer.keepInKeyring = keep;
    return answer;
}

} // namespace

/// The links are not opened: what they would say is said here for them.
class TestLoginDesk : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_desk = std::make_unique<CredentialBroker>();
        m_one = Target::create("one");
        m_two = Target::create("two");
        m_desk->watch(*m_one);
        m_desk->watch(*m_two);
        m_asked = std::make_unique<QSignalSpy>(m_desk.get(), &CredentialBroker::asked);
    }
    void cleanup()
    {
        m_asked.reset();
        m_desk.reset();
        m_one.reset();
        m_two.reset();
    }

    void asksOneQuestionAtATime()
    {
        emit m_one->loginNeeded(passwordQuestion());
        emit m_two->loginNeeded(passwordQuestion());
        QCOMPARE(m_asked->size(), 1);
        m_desk->answer(std::nullopt);
        QCOMPARE(m_asked->size(), 2);
    }

    void usesAnAnswerAgainOnlyAfterAHostHasAcceptedIt()
    {
        emit m_one->loginNeeded(passwordQuestion());
        emit m_two->loginNeeded(passwordQuestion());
        m_desk->answer(answerWith("right", true));
        QCOMPARE(m_asked->size(), 1); // the second one waits for what becomes of the first
        emit m_one->loggedIn("alice@gate");
        emit m_one->loginNeeded(passwordQuestion()); // it had to come back
        QCOMPARE(m_asked->size(), 1);
        m_desk->forget();
        emit m_one->loginNeeded(passwordQuestion());
        QCOMPARE(m_asked->size(), 2);
    }

    void offersAWrongAnswerOnce()
    {
        emit m_one->loginNeeded(passwordQuestion());
        emit m_two->loginNeeded(passwordQuestion());
        m_desk->answer(answerWith("wrong", true));
        emit m_one->loginNeeded(passwordQuestion(2));
        QCOMPARE(m_asked->size(), 2);
        m_desk->answer(std::nullopt);
        QCOMPARE(m_asked->size(), 3);
    }

    void doesNotUseAgainWhatThePersonDidNotAllowOrWhatIsGoodForOneTime()
    {
        emit m_one->loginNeeded(passwordQuestion());
        m_desk->answer(answerWith("once", false));
        emit m_one->loggedIn("alice@gate");
        emit m_one->loginNeeded(passwordQuestion());
        QCOMPARE(m_asked->size(), 2);
        m_desk->answer(std::nullopt);
        ssh::LoginInquiry code = passwordQuestion();
        code.reusable = false;
        for (int i = 0; i < 2; ++i) {
            emit m_one->loginNeeded(code);
            QCOMPARE(m_asked->size(), 3 + i);
            m_desk->answer(answerWith("123456", true));
            emit m_one->loggedIn("alice@gate");
        }
    }

    void takesAQuestionBackWhenItsLinkEnds()
    {
        QSignalSpy withdrawn(m_desk.get(), &CredentialBroker::withdrawn);
        emit m_one->loginNeeded(passwordQuestion());
        emit m_two->loginNeeded(passwordQuestion());
        emit m_one->attemptFailed(unreachable("gone"));
        QCOMPARE(withdrawn.size(), 1);
        QCOMPARE(m_asked->size(), 2);
        m_two.reset();
        QCOMPARE(withdrawn.size(), 2);
        m_desk->answer(answerWith("late", true)); // to nobody
    }

    void keepsInTheKeyringWhatHasWorkedAndForgetsWhatHasNot()
    {
        auto owned = std::make_unique<FakeKeyring>();
        FakeKeyring& keyring = *owned;
        m_desk->setKeyring(std::move(owned));
        emit m_one->loginNeeded(passwordQuestion());
        m_desk->answer(answerWith("right", true, true));
        QVERIFY(keyring.kept.empty());
        emit m_one->loggedIn("alice@gate");
        QCOMPARE(keyring.kept["account alice@gate"], std::string("right"));

        m_desk->forget(); // as after a new start
        emit m_two->loginNeeded(passwordQuestion());
        QVERIFY(keyring.answerRead);
        keyring.answerRead();
        QCOMPARE(m_asked->size(), 1);
        emit m_two->loginNeeded(passwordQuestion(2)); // the password was changed meanwhile
        QCOMPARE(keyring.removed, QStringList{"account alice@gate"});
        QCOMPARE(m_asked->size(), 2);
    }

private:
    std::unique_ptr<CredentialBroker> m_desk;
    std::unique_ptr<Target> m_one, m_two;
    std::unique_ptr<QSignalSpy> m_asked;
};

QTEST_GUILESS_MAIN(TestLoginDesk)
#include "tst_login_desk.moc"
