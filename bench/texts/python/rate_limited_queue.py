import heapq
import threading
import time
from concurrent.futures import Future


class TokenBucket:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.tokens = burst
        self.updated = time.monotonic()

    def take(self):
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.updated) * self.rate)
        self.updated = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate


class Job:
    def __init__(self, priority, number, function, args, kwargs):
        self.priority, self.number = priority, number
        self.function, self.args, self.kwargs = function, args, kwargs
        self.future = Future()

    def __lt__(self, other):
        return (self.priority, self.number) < (other.priority, other.number)

    def run(self):
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.function(*self.args, **self.kwargs))
        except Exception as error:
            self.future.set_exception(error)


class Worker(threading.Thread):
    def __init__(self, rate=5.0, burst=5):
        super().__init__(daemon=True)
        self.bucket = TokenBucket(rate, burst)
        self.jobs = []
        self.count = 0
        self.condition = threading.Condition()
        self.stopping = False

    def submit(self, function, *args, priority=10, **kwargs):
        with self.condition:
            if self.stopping:
                raise RuntimeError("worker is stopping")
            self.count += 1
            job = Job(priority, self.count, function, args, kwargs)
            heapq.heappush(self.jobs, job)
            self.condition.notify()
        return job.future

    def run(self):
        while True:
            job = self._next()
            if job is None:
                return
            delay = self.bucket.take()
            while delay:
                time.sleep(delay)
                delay = self.bucket.take()
            job.run()

    def _next(self):
        with self.condition:
            while not self.jobs and not self.stopping:
                self.condition.wait()
            return heapq.heappop(self.jobs) if self.jobs else None

    def stop(self):
        with self.condition:
            self.stopping = True
            self.condition.notify_all()
        self.join()


def slow_square(number):
    time.sleep(0.05)
    return number * number


if __name__ == "__main__":
    worker = Worker(rate=10, burst=3)
    worker.start()
    futures = [worker.submit(slow_square, n, priority=n % 3) for n in range(12)]
    print([future.result() for future in futures])
    worker.stop()
