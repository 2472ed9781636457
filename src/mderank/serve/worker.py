"""The process that extracts for a queue: ``python -m mderank.serve.worker``.

The server's own process only speaks HTTP. So it answers while texts are tagged and encoded, and a text that takes too
long or ends its process is stopped without harm to the others.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from mderank.document import AnyText, GuidedText, MarkedUpText
from mderank.errors import InputError, MDERankError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import BaseExtractor
from mderank.methods.failures import isolate_failures
from mderank.options import Options
from mderank.reading.markdown import blank_markup
from mderank.serve.errors import ApiError
from mderank.style import Style
from mderank.tagging.spacy import import_spacy_without_torch, spacy_memory_zone

_log = logging.getLogger("mderank.serve")
_END_SECONDS = 5.0  # that a process has to end by itself
# A process is stopped late: to load the models again takes seconds too, and a busy machine is slow with every text.
_GRACE_SECONDS = 5.0
_COLLECTED_OBJECTS = 50_000  # objects that are made before cycles are looked for among them
_PIPE_BYTES = 1 << 18  # of the pipe to a process, which then holds the next batch
_PAGES = 8_192  # bytes of a pipe that may stay unused, because it is kept by pages
_GRACE_FACTOR = 10.0  # times the expected time, after which the texts of a batch are computed one by one

Outcome = Keyphrases | Exception


@dataclass(frozen=True)
class QueuedText:
    """A document as the extracting process gets it.

    Attributes:
        text: The document.
        top: Number of keyphrases; None for all.
        markdown: Whether the text is Markdown.
        deadline: Value of `time.monotonic` after which nobody waits for the result.
        seconds: Expected time to compute it.
        language: Its language, if the client names one.
        seeds: Phrases that pull its ranking towards a topic; none without.
        seed_weight: How much they count; None for the method's own.
        prose: The text without what no phrase may be part of, if the client sent it.
    """

    text: str
    top: int | None
    markdown: bool = False
    deadline: float = float("inf")
    seconds: float = 0.0
    language: str | None = None
    seeds: tuple[str, ...] = ()
    seed_weight: float | None = None
    prose: str | None = None

    def as_input(self) -> AnyText:
        """Return the text as an extractor takes it."""
        text = self._unguided()
        return GuidedText(text, self.seeds, self.seed_weight) if self.seeds else text

    def _unguided(self) -> str | MarkedUpText:
        prose = blank_markup(self.text) if self.markdown else self.prose
        if prose is None and self.language is None:
            return self.text
        return MarkedUpText(self.text, prose, self.language)


class QueueExtractor(Protocol):
    """Interface of what a queue extracts with. Those with equal options are equal."""

    def extract_together(self, texts: Sequence[QueuedText]) -> list[Outcome]:
        """Extract texts as one batch.

        Args:
            texts: The texts.

        Returns:
            The keyphrases of each text, or the error of a text that failed.
        """
        ...

    def send_ahead(self, texts: Sequence[QueuedText]) -> bool:
        """Begin with texts before their results are asked for, if that is possible.

        Args:
            texts: The texts. The next calls of `extract_together` must be with the same lists, in the same order.

        Returns:
            Whether the texts are computed by themselves from now on.
        """
        ...


@dataclass(frozen=True)
class RemoteExtractor:
    """An extractor of another process.

    Attributes:
        worker: The process.
        key: The options as text, by which extractors are compared.
        options: Options of the extractor.
    """

    worker: WorkerProcess
    key: str
    options: Options = field(compare=False)

    def extract_together(self, texts: Sequence[QueuedText]) -> list[Outcome]:
        """Extract texts in the process. See `WorkerProcess.extract`."""
        return self.worker.extract(self.options, texts)

    def send_ahead(self, texts: Sequence[QueuedText]) -> bool:
        """Send texts to the process. See `WorkerProcess.send_ahead`."""
        return self.worker.send_ahead(self.options, texts)


@dataclass(frozen=True)
class LocalExtractor:
    """An extractor of this process.

    Attributes:
        extractor: The method.
    """

    extractor: BaseExtractor

    def extract_together(self, texts: Sequence[QueuedText]) -> list[Outcome]:
        """Extract texts as one batch; if that fails, one by one.

        Args:
            texts: The texts.

        Returns:
            The keyphrases of each text, or the error of a text that failed.
        """
        with spacy_memory_zone(self.extractor.tagger):
            return list(isolate_failures(self._extract, texts))

    def send_ahead(self, texts: Sequence[QueuedText]) -> bool:
        """Do nothing: this process computes when it is asked for results."""
        return False

    def _extract(self, texts: Sequence[QueuedText]) -> list[Keyphrases]:
        scored = self.extractor.score([each.as_input() for each in texts])
        return [self.extractor.rank(*each, text.top) for each, text in zip(scored, texts, strict=True)]


class WorkerError(Exception):
    """The process died, or was stopped because it took too long.

    Args:
        late: Whether it took too long.
    """

    def __init__(self, late: bool) -> None:
        super().__init__("it took too long" if late else "it died")
        self.late = late


class WorkerProcess:
    """A process that extracts, and is replaced when it dies or takes too long.

    Args:
        options: Encoder and tagger of the server.
        command: Starts the process.
        start_seconds: Longest time to load encoder and tagger.
        grace_seconds: Time after a deadline until the process is stopped; the least time for a batch.
        clock: Returns the time in seconds.
        styles: Styles that clients may name.
    """

    def __init__(
        self,
        options: Options,
        command: Sequence[str] = (sys.executable, "-m", "mderank.serve.worker"),
        start_seconds: float = 300.0,
        grace_seconds: float = _GRACE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        styles: Sequence[Style] = (),
    ) -> None:
        self._command = command
        self._options = options
        self._styles = tuple(styles)
        self._start_seconds = start_seconds
        self._grace = grace_seconds
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: deque[Sequence[QueuedText]] = deque()  # texts that the process has, in order
        self._ready = False
        self._closed = False
        self.replaced = 0  # processes that died or were stopped

    def start(self) -> str:
        """Start the process if it does not run, and wait until it has loaded the encoder.

        Returns:
            The name of the encoder.

        Raises:
            MDERankError: The encoder or the tagger cannot be loaded.
            WorkerError: The process died.
        """
        if self._process is None:
            self._spawn()
        return str(self._receive(self._start_seconds))

    def methods(self) -> dict[str, str]:
        """Wait until the process is ready.

        Returns:
            The names of the methods that work, each with its own value of ``overlap``.

        Raises:
            MDERankError: The tagger cannot be loaded.
            WorkerError: The process died.
        """
        found: dict[str, str] = self._receive(self._start_seconds)
        self._ready = True
        return found

    def extract(self, options: Options, texts: Sequence[QueuedText], *, again: bool = False) -> list[Outcome]:
        """Extract texts as one batch; if the process dies of it or takes too long, one by one.

        Args:
            options: Options of a client.
            texts: The texts.
            again: Whether the process died of this text before.

        Returns:
            The keyphrases of each text, or the error of a text that failed.
        """
        if not self._has(texts) and self._is_late(texts):
            return [_late()]
        try:
            return self._ask(options, texts)
        except WorkerError as error:
            self.replaced += 1
            if len(texts) > 1:
                return [result for text in texts for result in self.extract(options, [text])]
            if not error.late and not again:  # it may have been killed from outside
                return self.extract(options, texts, again=True)
            return [_late() if error.late else InputError("the text ended the process that read it: send another")]
        except MDERankError as error:
            return [error for _ in texts]

    def send_ahead(self, options: Options, texts: Sequence[QueuedText]) -> bool:
        """Send texts before their results are asked for, so that the process has no pause between two batches.

        Args:
            options: Options of a client.
            texts: The texts. The next calls of `extract` must be with the same lists, in the same order.

        Returns:
            Whether the process has them.
        """
        if self._has(texts):
            return True
        if not self._ready or self._is_late(texts):
            return False
        message = pickle.dumps(_message(options, texts))
        assert self._process is not None
        assert self._process.stdin is not None
        # A busy process does not read. What its pipe cannot hold would wait for it, and it perhaps for us to read.
        if len(message) > _room(self._process.stdin):
            return False
        try:
            self._process.stdin.write(message)
            self._process.stdin.flush()
        except OSError:  # it died, which is found out when results are asked for
            return False
        self._sent.append(texts)
        return True

    def _has(self, texts: Sequence[QueuedText]) -> bool:
        return any(each is texts for each in self._sent)

    def _is_late(self, texts: Sequence[QueuedText]) -> bool:
        """Whether texts are one that nobody waits for any more."""
        return len(texts) == 1 and texts[0].deadline <= self._clock()

    def close(self) -> None:
        """End the process."""
        self._closed = True
        if self._process is not None:
            self._end(self._process)

    def _ask(self, options: Options, texts: Sequence[QueuedText]) -> list[Outcome]:
        if self._sent and self._sent[0] is texts:
            self._sent.popleft()
        else:
            if self._sent:  # the answers to others would come first
                self._replace()
            if self._process is None:
                self._spawn()
            if not self._ready:  # a replaced process is still loading
                self.start()
                self.methods()
            self._send(_message(options, texts))
        results: list[Outcome] = self._receive(self._longest(texts))
        return results

    def _longest(self, texts: Sequence[QueuedText]) -> float:
        """Return the seconds after which texts are stopped: when nobody waits for them, or one holds up the others."""
        left = max(text.deadline for text in texts) - self._clock() + self._grace
        if len(texts) == 1:
            return left
        return min(left, max(self._grace, _GRACE_FACTOR * sum(text.seconds for text in texts)))

    def _spawn(self) -> None:
        if self._closed:
            raise WorkerError(late=False)
        self._ready = False
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self._process.stdin is not None
        _widen(self._process.stdin)
        self._send((self._options, self._styles))

    def _send(self, message: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()
        except OSError:  # it died while it was idle
            self._replace()
            raise WorkerError(late=False) from None

    def _receive(self, seconds: float) -> Any:
        """Wait for the next message. The process is replaced if there is none in time."""
        assert self._process is not None
        assert self._process.stdout is not None
        late = threading.Event()

        def stop(process: subprocess.Popen[bytes]) -> None:
            late.set()
            process.kill()

        timer = threading.Timer(max(0.0, seconds), stop, (self._process,)) if seconds < threading.TIMEOUT_MAX else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            message = pickle.load(self._process.stdout)
        except Exception:  # it died, or wrote what is no message
            self._replace()
            raise WorkerError(late.is_set()) from None
        finally:
            if timer is not None:
                timer.cancel()
        if isinstance(message, Exception):  # a model, an extra or an option is wrong, not a text
            raise message
        return message

    def _replace(self) -> None:
        """End the process and start the next one, which loads while nobody waits for it yet."""
        assert self._process is not None
        self._sent.clear()
        self._process.kill()
        self._end(self._process)
        was_ready, self._process = self._ready, None
        if was_ready and not self._closed:
            self._spawn()

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()  # by which it ends
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _message(options: Options, texts: Sequence[QueuedText]) -> Any:
    return options, [
        (text.text, text.top, text.markdown, text.language, text.seeds, text.seed_weight, text.prose) for text in texts
    ]


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold a batch of texts, where the system can."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _room(pipe: IO[bytes]) -> int:
    """Return the bytes that a pipe holds for certain until they are read; 0 where that is not known."""
    try:
        import fcntl

        return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ) - _PAGES
    except (ImportError, AttributeError, OSError):  # only Linux tells
        return 0


def _late() -> ApiError:
    return ApiError("timeout", "the answer was not ready in time: send less text")


def main() -> None:
    """Answer messages from standard input on standard output until the server ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server decides when it ends
        signal.signal(number, signal.SIG_IGN)
    messages, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    logging.basicConfig(format="mderank: %(message)s", level=logging.WARNING)
    with contextlib.suppress(EOFError, BrokenPipeError):
        _answer_messages(messages, answers)
    os._exit(0)  # nothing is to be saved, and the server may wait


def _answer_messages(messages: IO[bytes], answers: IO[bytes]) -> None:
    import warnings

    from mderank.encoding import BUNDLED_MODEL, load_encoder
    from mderank.serve.extractor_cache import ExtractorCache
    from mderank.tagging import load_tagger

    def send(message: Any) -> None:
        pickle.dump(message, answers)
        answers.flush()

    warnings.simplefilter("ignore")  # these are about the texts of clients
    operator: Options
    styles: Sequence[Style]
    operator, styles = pickle.load(messages)
    try:
        encoder = load_encoder(
            operator.model or BUNDLED_MODEL,
            device=operator.device,
            dtype=operator.dtype,
            threads=operator.threads,
            precision=operator.precision or "auto",
        )
        cache = ExtractorCache(encoder, load_tagger(operator.tagger, tokenizer=operator.tokenizer), styles)
        cache.check_styles()
        send(encoder.spec.name)
        import_spacy_without_torch(operator.tagger, operator.tokenizer)
        list(cache.tagger.tag(["Loaded."]))
        send({name: kind.default_overlap for name, kind in cache.offers().items()})
    except MDERankError as error:
        send(error)
        return
    # What is loaded stays. A batch makes many objects and few cycles. Looking for these took a tenth of YAKE's time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECTED_OBJECTS)
    while True:
        options, texts = pickle.load(messages)
        try:
            extractor = LocalExtractor(cache.get(options))
            results = extractor.extract_together(
                [
                    QueuedText(text, top, markdown, language=language, seeds=seeds, seed_weight=weight, prose=prose)
                    for text, top, markdown, language, seeds, weight, prose in texts
                ]
            )
            answer: Any = [_as_sent(result) for result in results]
        except Exception as error:  # of the options, or of all texts: the process is there for others too
            answer = _as_sent(error)
        send(answer)


def _as_sent(result: Outcome) -> Outcome:
    """Return a result as it is sent. Errors of libraries stay here: they may not be what the server can read."""
    if isinstance(result, Exception) and not isinstance(result, MDERankError):
        _log.error("a document failed", exc_info=result)
        return InputError(f"extraction failed: {type(result).__name__}")
    return result


if __name__ == "__main__":
    main()
