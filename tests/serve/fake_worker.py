"""A process that answers as ``mderank.serve.worker`` does, and obeys its texts: "die", "hang", "refuse"."""

from __future__ import annotations

import os
import pickle
import sys
import time

from mderank.errors import OptionError
from mderank.keyphrase import Keyphrase, Keyphrases


def send(message: object) -> None:
    pickle.dump(message, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def result(text: str) -> Keyphrases:
    if text == "die":
        os._exit(1)
    if text == "hang":
        time.sleep(3_600)
    return Keyphrases([Keyphrase(f"{text} {os.getpid()}", 1.0, 1.0, (), ())])


if __name__ == "__main__":
    pickle.load(sys.stdin.buffer)
    send("fake")
    send({"fusion": "little"})
    while True:
        try:
            _, texts = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        texts = [text for text, *_ in texts]
        send(OptionError("no such option") if "refuse" in texts else [result(text) for text in texts])
