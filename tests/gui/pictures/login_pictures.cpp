#include "tests/gui/pictures/login_pictures.h"

#include "remote/ssh/plain_text.h"

namespace trainyard::pictures {

namespace {

LoginQuestion question(LoginQuestion::Kind kind, const QList<LoginQuestion::Prompt>& prompts)
{
    LoginQuestion question;
    question.kind = kind;
    question.host = QStringLiteral("gpu-03");
    question.user = QStringLiteral("ada");
    question.prompts = prompts;
    return question;
}

LoginQuestion passphrase()
{
    LoginQuestion asked = question(LoginQuestion::Kind::Passphrase, {{QStringLiteral("Passphrase"), false}});
    asked.via = QStringLiteral("slurm-login");
    asked.keyFile = QStringLiteral("/home/ada/.ssh/id_ed25519");
    asked.attempt = 2;
    return asked;
}

LoginQuestion threeQuestions()
{
    LoginQuestion asked =
        question(LoginQuestion::Kind::Challenge, {{QStringLiteral("Password:"), false},
                                                  {QStringLiteral("Verification code:"), true},
                                                  {QStringLiteral("Project to charge:"), true}});
    asked.title = QStringLiteral("Two-factor login");
    asked.instruction = QStringLiteral("Enter the code that your device shows.");
    asked.reusable = false;
    return asked;
}

/// As such words reach the dialog: made plain, and cut.
LoginQuestion longBanner()
{
    std::string banner;
    for (int line = 1; line <= 40; ++line)
        banner +=
            "\x1b[31mNOTICE\x1b[0m " + std::to_string(line) +
            ": use of this system is monitored; <b>whoever</b> goes on agrees to the terms of the site\r\n";
    LoginQuestion asked = question(
        LoginQuestion::Kind::Challenge,
        {{QString::fromStdString(ssh::plainText("\x1b]0;owned\x07Password for ada@gpu-03:", 512)), false}});
    asked.title = QString::fromStdString(ssh::plainText("\x1b[2J*** National Centre ***", 512));
    asked.instruction = QString::fromStdString(ssh::plainText(banner, 512, Lines::Many));
    return asked;
}

} // namespace

QList<LoginPicture> loginPictures()
{
    return {
        {"login-password", question(LoginQuestion::Kind::Password, {{QStringLiteral("Password"), false}})},
        {"login-passphrase", passphrase()},
        {"login-three-questions", threeQuestions()},
        {"login-banner", longBanner()}};
}

} // namespace trainyard::pictures
