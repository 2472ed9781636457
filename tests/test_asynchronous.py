"""Extraction in an event loop."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

import pytest

import mderank
from mderank import AsyncExtractor, InputError, ModelError, OptionError
from mderank.document import Document
from mderank.methods import FirstPhrases, KeyBERT
from mderank.testing import FakeEncoder, FakeTagger

TEXTS = [f"A reef {number}. An old harbour." for number in range(150)]
WAIT = 60  # seconds until a test gives up


def first(**options) -> FirstPhrases:
    return FirstPhrases(tagger=FakeTagger(), **options)


@pytest.fixture(params=["asyncio", "trio"])
def run(request):
    """Runs a coroutine function in an event loop."""
    if request.param == "asyncio":
        return lambda function: asyncio.run(function())
    trio = pytest.importorskip("trio", reason="needs pip install trio")
    return trio.run


class Held(FakeTagger):
    """Waits at every text until it may go on; notes what it reads, and in which threads."""

    def __init__(self):
        super().__init__()
        self.read, self.threads = [], set()
        self.begun, self.go_on = threading.Semaphore(0), threading.Semaphore(0)

    def tag(self, texts) -> Iterator[Document]:
        texts = list(texts)
        self.read += texts
        self.threads.add(threading.current_thread())
        self.begun.release()
        assert self.go_on.acquire(timeout=WAIT)
        yield from super().tag(texts)

    def wait_until_begun(self):
        assert self.begun.acquire(timeout=WAIT)


def test_the_results_are_those_of_the_extractor(run):
    extractor = first()

    async def main():
        wrapped = AsyncExtractor(extractor)
        one = await wrapped.extract(TEXTS[0], top_k=1)
        return one, [found async for found in wrapped.extract_many(TEXTS, top_k=1)]

    assert run(main) == (extractor.extract(TEXTS[0], 1), list(extractor.extract_many(TEXTS, 1)))


def test_the_shortest_way(run, tmp_path):
    file = tmp_path / "reef.txt"
    file.write_text(TEXTS[0])

    async def main():
        return [await mderank.aextract(given, 1, method="firstphrases") for given in (TEXTS[0], file)]

    assert run(main) == [mderank.extract(TEXTS[0], 1, method="firstphrases")] * 2


def test_an_asynchronous_iterable(run):
    async def texts():
        for text in TEXTS[:5]:
            yield text

    async def main():
        return [found async for found in AsyncExtractor(first()).extract_many(texts(), top_k=1)]

    assert run(main) == [first().extract(text, 1) for text in TEXTS[:5]]


def test_further_arguments_are_passed_on(run):
    extractor = KeyBERT(FakeEncoder(), tagger=FakeTagger())

    async def main():
        wrapped = AsyncExtractor(extractor)
        one = await wrapped.extract(TEXTS[0], seeds=["boat"], seed_weight=0.9)
        many = [found async for found in wrapped.extract_many(TEXTS[:2], seeds=["boat"], seed_weight=0.9)]
        return [one, *many[1:]]

    assert run(main) == [extractor.extract(text, seeds=["boat"], seed_weight=0.9) for text in TEXTS[:2]]


def test_errors_pass_through(run):
    async def main():
        wrapped = AsyncExtractor(first())
        with pytest.raises(InputError, match="not int"):
            await wrapped.extract(5)
        with pytest.raises(OptionError, match="does not take seeds"):
            await wrapped.extract("A reef.", seeds=["boat"])
        with pytest.raises(OptionError, match="top_k"):
            await anext(wrapped.extract_many(["A reef."], top_k=-1))
        with pytest.raises(OptionError, match="unknown option"):
            await mderank.aextract("A reef.", colour="red")
        found = [each async for each in wrapped.extract_many(["A reef.", 5, "A boat."])]
        assert [each.texts for each in found] == [["reef"], [], ["boat"]]
        assert "not int" in str(found[1].error)
        assert (await wrapped.extract("A reef.")).texts == ["reef"]

    run(main)


def test_an_error_that_ends_an_iteration_ends_it_here_too(run):
    def broken():
        yield "A reef."
        raise ModelError("gone")

    async def main():
        results = AsyncExtractor(first()).extract_many(broken())
        with pytest.raises(ModelError, match="gone"):
            await anext(results)
        return [found async for found in results]

    assert run(main) == []


def test_two_tasks_do_not_get_the_same_result():
    tagger = Held()

    async def main():
        results = AsyncExtractor(FirstPhrases(tagger=tagger)).extract_many(["A reef.", "A boat."])
        first_task = asyncio.create_task(anext(results))
        while not tagger.begun.acquire(blocking=False):
            await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="another task waits for the next result"):
            await anext(results)
        tagger.go_on.release()
        return [await first_task, *[found async for found in results]]

    assert [found.texts for found in asyncio.run(main())] == [["reef"], ["boat"]]


@pytest.mark.parametrize("texts", ["A reef.", 5, Document("A reef.", ())])
def test_one_text_is_not_several(texts):
    with pytest.raises(OptionError, match=r"several texts, not a .*: use extract"):
        AsyncExtractor(first()).extract_many(texts)


@pytest.mark.parametrize("extractor", [FirstPhrases, "yake", None])
def test_what_is_no_extractor(extractor):
    with pytest.raises(OptionError, match=r"extractor must be an extractor such as FusionRank\(\), not"):
        AsyncExtractor(extractor)


def test_the_loop_goes_on_meanwhile():
    tagger = Held()

    async def main():
        task = asyncio.create_task(AsyncExtractor(FirstPhrases(tagger=tagger)).extract("A reef."))
        while not tagger.begun.acquire(blocking=False):
            await asyncio.sleep(0)
        assert not task.done()
        tagger.go_on.release()
        return (await task).texts

    assert asyncio.run(main()) == ["reef"]


def test_calls_of_one_extractor_share_a_thread_and_keep_their_order():
    tagger = Held()
    extractor = FirstPhrases(tagger=tagger)
    texts = [f"A reef {number}." for number in range(20)]

    async def main():
        wrapped = [AsyncExtractor(extractor) for _ in range(2)]
        for _ in texts:
            tagger.go_on.release()
        return await asyncio.gather(*(wrapped[number % 2].extract(text) for number, text in enumerate(texts)))

    assert asyncio.run(main()) == [first().extract(text) for text in texts]
    assert tagger.read == texts
    assert len(tagger.threads) == 1
    assert threading.main_thread() not in tagger.threads


def test_a_single_call_waits_for_one_chunk_of_many_and_not_for_all():
    tagger = Held()
    done = []

    async def main():
        extractor = AsyncExtractor(FirstPhrases(tagger=tagger))
        results = extractor.extract_many(TEXTS, top_k=1)
        for _ in range(9):
            tagger.go_on.release()

        async def many():
            async for _ in results:
                done.append("many")

        async def one():
            await extractor.extract("A boat.")
            done.append("one")

        await asyncio.gather(many(), one())

    asyncio.run(main())
    assert len(done) == len(TEXTS) + 1
    assert done.index("one") <= 65


def test_texts_are_read_as_results_are_asked_for(run):
    read = []

    def texts():
        for text in TEXTS:
            read.append(text)
            yield text

    async def coming():
        for text in texts():
            yield text

    async def main():
        async with aclosing(coming()) as source:
            for each, most in ((texts(), 64), (source, 1)):
                read.clear()
                results = AsyncExtractor(first()).extract_many(each)
                assert read == []
                await anext(results)
                assert 1 <= len(read) <= most

    run(main)


def test_a_call_that_is_cancelled_while_it_waits_is_not_computed():
    tagger = Held()

    async def main():
        extractor = AsyncExtractor(FirstPhrases(tagger=tagger))
        running, waiting, last = (asyncio.create_task(extractor.extract(text)) for text in ("A.", "A reef.", "A boat."))
        await asyncio.to_thread(tagger.wait_until_begun)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        for _ in range(3):
            tagger.go_on.release()
        await running
        return (await last).texts

    assert asyncio.run(main()) == ["boat"]
    assert tagger.read == ["A.", "A boat."]


def test_a_call_that_is_cancelled_after_it_began_is_finished_and_harms_no_other():
    tagger = Held()

    async def main():
        extractor = AsyncExtractor(FirstPhrases(tagger=tagger))
        running = asyncio.create_task(extractor.extract("A reef."))
        await asyncio.to_thread(tagger.wait_until_begun)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        following = asyncio.create_task(extractor.extract("A boat."))
        for _ in range(2):
            tagger.go_on.release()
        return (await following).texts

    assert asyncio.run(main()) == ["boat"]
    assert tagger.read == ["A reef.", "A boat."]


@pytest.mark.parametrize("coming", [False, True])
def test_no_result_is_lost_when_waiting_for_it_is_cancelled(coming):
    tagger = Held()
    texts = [f"A reef {number}." + " " * 8_000 for number in range(4)]  # each is a chunk of its own

    async def some():
        for text in texts:
            yield text

    async def main():
        extractor = AsyncExtractor(FirstPhrases(tagger=tagger))
        results = extractor.extract_many(some() if coming else texts, top_k=1)
        found = []
        for number in range(len(texts)):
            before = asyncio.create_task(extractor.extract("A boat.")) if number % 2 else None
            task = asyncio.create_task(anext(results))
            await asyncio.to_thread(tagger.wait_until_begun)
            await asyncio.sleep(0)
            task.cancel()  # it runs, or waits behind another call
            with pytest.raises(asyncio.CancelledError):
                await task
            for _ in range(2 if before else 1):
                tagger.go_on.release()
            if before:
                await before
            found.append(await anext(results))
            if before:
                tagger.wait_until_begun()
        with pytest.raises(StopAsyncIteration):
            await anext(results)
        return found

    assert asyncio.run(main()) == [first().extract(text, 1) for text in texts]
    assert [text for text in tagger.read if text != "A boat."] == texts


def test_cancelling_in_trio():
    trio = pytest.importorskip("trio", reason="needs pip install trio")
    testing = pytest.importorskip("trio.testing")
    tagger = Held()

    async def main():
        extractor = AsyncExtractor(FirstPhrases(tagger=tagger))
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(extractor.extract, "A reef.")
                await trio.to_thread.run_sync(tagger.wait_until_begun)
                nursery.start_soon(extractor.extract, "A dog.")
                await testing.wait_all_tasks_blocked()
                scope.cancel()
        assert scope.cancelled_caught
        for _ in range(2):
            tagger.go_on.release()
        return (await extractor.extract("A boat.")).texts

    assert trio.run(main) == ["boat"]
    assert tagger.read == ["A reef.", "A boat."]


def test_a_loop_that_ends_before_its_call():
    tagger = Held()
    extractor = FirstPhrases(tagger=tagger)

    async def main():
        task = asyncio.create_task(AsyncExtractor(extractor).extract("A reef."))
        await asyncio.to_thread(tagger.wait_until_begun)
        del task

    asyncio.run(main())  # which cancels what is left
    for _ in range(2):
        tagger.go_on.release()
    assert asyncio.run(AsyncExtractor(extractor).extract("A boat.")).texts == ["boat"]


def test_loops_in_several_threads():
    extractor = first()

    def main(text):
        return asyncio.run(AsyncExtractor(extractor).extract(text))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(main, TEXTS[:20])) == [first().extract(text) for text in TEXTS[:20]]


def test_the_thread_ends_with_its_extractor():
    extractor = first()
    asyncio.run(AsyncExtractor(extractor).extract("A reef."))
    (thread,) = [each for each in threading.enumerate() if each.name.startswith("mderank") and "_0" in each.name][-1:]
    gone = weakref.ref(extractor)
    del extractor
    gc.collect()
    assert gone() is None
    thread.join(WAIT)
    assert not thread.is_alive()


def test_an_extractor_without_a_hash():
    class Unhashable:
        __hash__ = None

        def extract(self, text, top_k=10, *, seeds=None, seed_weight=None):
            return first().extract(text, top_k)

        def extract_many(self, texts, top_k=10, *, seeds=None, seed_weight=None):
            return first().extract_many(texts, top_k)

    assert asyncio.run(AsyncExtractor(Unhashable()).extract("A reef.")).texts == ["reef"]


def test_in_anyio(run):
    anyio = pytest.importorskip("anyio", reason="needs pip install anyio")
    tagger = Held()

    async def main():
        extractor = AsyncExtractor(FirstPhrases(tagger=tagger))
        with anyio.move_on_after(0.01) as scope:
            await extractor.extract("A reef.")
        assert scope.cancelled_caught
        for _ in range(2):
            tagger.go_on.release()
        return (await extractor.extract("A boat.")).texts

    assert run(main) == ["boat"]


def test_threads_that_take_the_shortest_way():
    """The extractor that they share is used by one of them at a time."""
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: mderank.extract(text, 1, method="yake"), TEXTS[:40]))
    assert found == [mderank.extract(text, 1, method="yake") for text in TEXTS[:40]]
