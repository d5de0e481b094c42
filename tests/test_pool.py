"""The pool of connections to a database."""

from __future__ import annotations

import pytest

from interlock.store.pool import MAX_IDLE, Pool


class RawConnection:
    """A connection that knows whether it was closed."""

    def __init__(self) -> None:
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def pool() -> Pool:
    return Pool(RawConnection)


def test_a_released_connection_is_used_again(pool: Pool) -> None:
    raw = pool.acquire()
    pool.release(raw, closed=False)
    assert pool.acquire() is raw


def test_closing_closes_idle_connections_at_once(pool: Pool) -> None:
    raw = pool.acquire()
    pool.release(raw, closed=False)
    pool.close()
    assert raw.is_closed
    assert pool.acquire() is not raw


def test_closing_closes_a_connection_in_use_when_it_is_released(pool: Pool) -> None:
    raw = pool.acquire()
    pool.close()
    assert not raw.is_closed
    pool.release(raw, closed=False)
    assert raw.is_closed
    assert pool.acquire() is not raw


def test_closing_while_a_connection_is_opened_closes_it_when_it_is_released() -> None:
    def connect() -> RawConnection:
        own.close()
        return RawConnection()

    own = Pool(connect)
    raw = own.acquire()
    own.release(raw, closed=False)
    assert raw.is_closed


def test_only_so_many_connections_stay_idle(pool: Pool) -> None:
    found = [pool.acquire() for _ in range(MAX_IDLE + 2)]
    for raw in found:
        pool.release(raw, closed=False)
    assert [raw.is_closed for raw in found] == [False] * MAX_IDLE + [True] * 2
