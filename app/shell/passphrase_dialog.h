#pragma once

#include <optional>

#include <QByteArray>
#include <QWidget>

#include "remote/target/target.h"

namespace trainyard {

/// Asks for the passphrase of a private key, modally: a secret is the one thing worth a dialog. The bytes are
/// wiped by the target after use. Nothing = the user does not want this key used.
std::optional<QByteArray> askPassphrase(const PassphraseQuestion& question, QWidget* parent);

} // namespace trainyard
