#pragma once

#include <string>

#include "remote/ssh/authenticate.h"
#include "remote/ssh/login_verdict.h"

namespace trainyard::ssh {

/// Login with answers of a person: keyboard-interactive (questions of the server, in several rounds) and the
/// password. Repeats a question only while a person answers, at most NumberOfPasswordPrompts times. Limits a
/// server's questions to 8 prompts of 512 bytes and 16 rounds, and shows them as plain text.
class PromptLogin {
public:
    PromptLogin(Session& session, const Hop& hop, Interaction& interaction);

    Result<LoginVerdict> runKeyboardInteractive();
    Result<LoginVerdict> runPassword();
    /// For the message when login failed: "the password"; empty = nobody was asked.
    const std::string& tried() const { return m_tried; }

private:
    Result<LoginVerdict> answerRounds(int attempt, bool& asked);
    Status answerRound(int attempt, bool& asked);
    Result<LoginInquiry> readChallenge(int attempt) const;
    LoginInquiry inquiryOf(LoginInquiry::Kind kind, int attempt) const;
    Status giveAnswers(const std::vector<Secret>& answers);
    Result<std::vector<Secret>> ask(const LoginInquiry& inquiry);

    Session& m_session;
    const Hop& m_hop;
    Interaction& m_interaction;
    std::string m_tried;
};

} // namespace trainyard::ssh
