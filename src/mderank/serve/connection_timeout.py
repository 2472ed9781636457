"""HTTP connections that do not wait for ever: a request's head must come in time, as its body must."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


def impatient(seconds: float) -> type[H11Protocol]:
    """A protocol for uvicorn that closes a connection whose next request is begun, or not even that, and not ended.

    uvicorn itself closes connections that say nothing between two requests, and bounds a head's size, but not the time
    that it may take.
    """

    class Impatient(H11Protocol):
        _given_up: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._expect()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._unexpect()  # a request has begun; its body is the gate's affair
            elif self._given_up is None:
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._unexpect()
            super().connection_lost(exc)

        def _expect(self) -> None:
            self._given_up = self.loop.call_later(seconds, self.transport.close)

        def _unexpect(self) -> None:
            if self._given_up is not None:
                self._given_up.cancel()
                self._given_up = None

    return Impatient
