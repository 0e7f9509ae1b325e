#include "tests/gui/pictures/login_pictures.h"

#include "remote/ssh/plain_text.h"

namespace trainyard::pictures {

namespace {

ssh::LoginInquiry question(ssh::LoginInquiry::Kind kind,
                           const std::vector<ssh::LoginInquiry::Prompt>& prompts)
{
    ssh::LoginInquiry question;
    question.kind = kind;
    question.host = "gpu-03";
    question.user = "ada";
    question.prompts = prompts;
    return question;
}

ssh::LoginInquiry passphrase()
{
    ssh::LoginInquiry asked = question(ssh::LoginInquiry::Kind::Passphrase, {{"Passphrase", false}});
    asked.via = "slurm-login";
    asked.keyFile = "/home/ada/.ssh/id_ed25519";
    asked.attempt = 2;
    return asked;
}

ssh::LoginInquiry threeQuestions()
{
    ssh::LoginInquiry asked =
        question(ssh::LoginInquiry::Kind::Challenge,
                 {{"Password:", false}, {"Verification code:", true}, {"Project to charge:", true}});
    asked.title = "Two-factor login";
    asked.instruction = "Enter the code that your device shows.";
    asked.reusable = false;
    return asked;
}

/// As such words reach the dialog: made plain, and cut.
ssh::LoginInquiry longBanner()
{
    std::string banner;
    for (int line = 1; line <= 40; ++line)
        banner +=
            "\x1b[31mNOTICE\x1b[0m " + std::to_string(line) +
            ": use of this system is monitored; <b>whoever</b> goes on agrees to the terms of the site\r\n";
    ssh::LoginInquiry asked =
        question(ssh::LoginInquiry::Kind::Challenge,
                 {{ssh::plainText("\x1b]0;owned\x07Password for ada@gpu-03:", 512), false}});
    asked.title = ssh::plainText("\x1b[2J*** National Centre ***", 512);
    asked.instruction = ssh::plainText(banner, 512, Lines::Many);
    return asked;
}

} // namespace

QList<LoginPicture> loginPictures()
{
    return {{"login-password", question(ssh::LoginInquiry::Kind::Password, {{"Password", false}})},
            {"login-passphrase", passphrase()},
            {"login-three-questions", threeQuestions()},
            {"login-banner", longBanner()}};
}

} // namespace trainyard::pictures
