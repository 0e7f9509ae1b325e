#pragma once

#include <optional>
#include <string>
#include <vector>

#include "remote/ssh/secret.h"

namespace trainyard::ssh {

/// A secret that only a person knows and that one hop of a connection needs. The texts are plain (no control
/// characters), but a server's words may still look like anything: show them as plain text.
struct LoginInquiry {
    enum class Kind {
        Passphrase, ///< of a key file of the user's
        Password,   ///< of the account
        Challenge,  ///< whatever the server asks (keyboard-interactive)
    };
    struct Prompt {
        std::string text; ///< plain text
        bool echo = false;
    };

    Kind kind = Kind::Password;
    std::string host; ///< the hop, as the user calls it
    std::string user;
    std::string account;            ///< whose secret it is: "alice@[gpu-03]:2222"
    std::string via;                ///< jump host in front of it; empty = none
    std::string keyFile;            ///< of a Passphrase
    std::string title, instruction; ///< of a Challenge: the server's words, as plain text
    std::vector<Prompt> prompts;    ///< 1 to 8, each to be answered
    int attempt = 1;                ///< from 2 on the answer before was wrong
    bool reusable = true;           ///< the same answer will do the next time; false for one-time codes
};

/// One secret for each prompt; nullopt = the person declines.
using LoginAnswers = std::optional<std::vector<Secret>>;

} // namespace trainyard::ssh
