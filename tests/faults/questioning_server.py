"""An SSH server whose login asks what a test wants: questioning_server.py MODE.

Prints a line of JSON with its port and key, serves connections on 127.0.0.1, and prints what it was answered. Modes:
none (a message without a question), one, three, rounds (two of them), endless (rounds without end), nine (more
questions than are answered), many (1000), long (a question of 30,000 letters), escapes, and expired (the password
is right and has to be changed)."""

import asyncio
import json
import sys

import asyncssh

ESCAPES = "\x1b[2J\x1b]0;owned\x07Pass\u202eword\u200b\x9b31m\r\nfor <b>you</b>\x00:"
MODE = sys.argv[1]


def say(**what):
    print(json.dumps(what), flush=True)


def challenge(prompts, name="", instruction=""):
    return name, instruction, "", prompts


class Server(asyncssh.SSHServer):
    def __init__(self):
        self.round = 0

    def begin_auth(self, username):
        return True

    def password_auth_supported(self):
        return MODE == "expired"

    def validate_password(self, username, password):
        say(password=password)
        raise asyncssh.PasswordChangeRequired("Your password has expired; enter a new one")

    def kbdint_auth_supported(self):
        return MODE != "expired"

    def get_kbdint_challenge(self, username, lang, submethods):
        return {
            "none": lambda: challenge([], "Notice", "The machine room closes at six."),
            "one": lambda: challenge([("Password: ", False)]),
            "three": lambda: challenge([("Password: ", False), ("Code: ", False), ("Project: ", True)], "Three", "Answer all."),
            "rounds": lambda: challenge([("Password: ", False)]),
            "endless": lambda: challenge([("Again: ", False)]),
            "many": lambda: challenge([(f"Question {i}: ", False) for i in range(1000)]),
            "nine": lambda: challenge([(f"Question {i}: ", False) for i in range(9)]),
            "long": lambda: challenge([("x" * 30_000, False)]),
            "escapes": lambda: challenge([(ESCAPES, False)], ESCAPES, ESCAPES),
        }[MODE]()

    def validate_kbdint_response(self, username, responses):
        say(answers=list(responses))
        self.round += 1
        if MODE == "endless":
            return challenge([("Again: ", False)])
        if MODE == "rounds" and self.round == 1:
            return challenge([("One-time code: ", False)])
        return True


async def main():
    key = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.create_server(Server, "127.0.0.1", 0, server_host_keys=[key])
    say(port=server.sockets[0].getsockname()[1], key=key.export_public_key().decode().split()[:2])
    await server.wait_closed()


asyncio.run(main())
