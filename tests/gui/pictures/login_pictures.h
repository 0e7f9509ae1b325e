#pragma once

#include <QList>
#include <QString>

#include "app/shell/login_dialog.h"

namespace trainyard::pictures {

struct LoginPicture {
    QString name;
    ssh::LoginInquiry question;
};

/// A password, a passphrase through a jump host, three questions of a host, and one that says too much.
QList<LoginPicture> loginPictures();

} // namespace trainyard::pictures
