"""kazoo_peer.py PEER PROGRAM SERVER [name=value ...]: runs one workload and prints one line, as worker/main.mjs does.

One KazooClient a process, one lock object for each thread.
"""
import json
import logging
import math
import os
import queue
import sys
import threading
import time

from kazoo.client import KazooClient

WRITES_ONE_IN = 20
PATIENCE_S = 10
DRAIN_LIMIT_S = 120
MOST_SAMPLES = 5000

logging.disable(logging.CRITICAL)
program, server = sys.argv[2:4]
TEXTS = ('key', 'folder')
settings = dict(callers=100, seconds=10, warmup=3, max=math.inf, cycles=2000, warmupCycles=200, rounds=500,
                warmupRounds=100, keys=10000, settle=5, index=0, barrier=0)
for pair in sys.argv[4:]:
    name, value = pair.split('=')
    settings[name] = value if name in TEXTS else float(value)
now = time.perf_counter


def count(name):
    return int(settings[name])


def moment():
    """On the clocks of this process and of the machine, and the CPU used so far."""
    return now(), time.time() * 1000, time.process_time()


def report_of(n, latencies, start, end, **extra):
    """The line of worker/report.mjs; latencies in seconds."""
    ordered = sorted(latencies)
    told = min(len(ordered), MOST_SAMPLES)
    samples = [round(ordered[-(-(i + 1) * len(ordered) // told) - 1] * 1000, 4) for i in range(told)]
    return dict(n=n, seconds=end[0] - start[0], cpuSec=end[2] - start[2], startMs=start[1], endMs=end[1],
                count=len(ordered), samples=samples, **extra)


def connect():
    client = KazooClient(server, timeout=40)
    client.start()
    return client


def path(suffix=''):
    return '/bench/' + settings['key'] + suffix


def ready():
    """Waits for the others of several processes; the time that the driver told, in seconds."""
    if not settings['barrier']:
        return time.time()
    print('READY', flush=True)
    return int(sys.stdin.readline().split()[1]) / 1000


class Section:
    """Proves mutual exclusion outside of the lock: see worker/section.mjs."""

    def __init__(self):
        self.violations = 0
        self.folder = os.path.join(settings['folder'], settings['key'])
        self.writer = os.path.join(self.folder, 'writer')
        os.makedirs(self.folder, exist_ok=True)

    def mark(self, name):
        try:
            os.mkdir(name)
            return True
        except FileExistsError:
            self.violations += 1
            return False

    def exclusive(self):
        if self.mark(self.writer):
            os.rmdir(self.writer)

    def reading(self, reader):
        own = os.path.join(self.folder, 'reader-%d' % reader)
        mine = self.mark(own)
        if os.path.exists(self.writer):
            self.violations += 1
        if mine:
            os.rmdir(own)

    def writing(self):
        mine = self.mark(self.writer)
        if any(name != 'writer' for name in os.listdir(self.folder)):
            self.violations += 1
        if mine:
            os.rmdir(self.writer)


def timed(times, cycle):
    latencies = []
    for i in range(times):
        started = now()
        cycle(i)
        latencies.append(now() - started)
    return latencies


def sequential():
    lock = connect().Lock(path())

    def cycle(_):
        lock.acquire()
        lock.release()
    timed(count('warmupCycles'), cycle)
    start = moment()
    latencies = timed(count('cycles'), cycle)
    return report_of(len(latencies), latencies, start, moment())


def cold():
    client = connect()

    def cycle(suffix):
        lock = client.Lock(path(suffix))
        lock.acquire()
        lock.release()
    timed(count('warmupCycles'), lambda i: cycle('-warm-%d' % i))
    start = moment()
    latencies = timed(count('keys'), lambda i: cycle('-%d' % i))
    return report_of(len(latencies), latencies, start, moment())


def contend(cycle):
    """`cycle(caller, i)` hands back when its latency began, and ended."""
    begin = now() + settings['warmup']
    end = begin + settings['seconds']
    latencies, served, errors = [], [0] * count('callers'), []
    window = [None, None]
    counting = threading.Lock()

    def caller(who):
        i = -1
        while sum(served) < settings['max'] and now() < end:
            i += 1
            try:
                started, ended = cycle(who, i)
            except Exception as error:
                errors.append(error)
                continue
            at = now()
            with counting:
                if at >= begin and not window[0]:
                    window[0] = moment()
                elif window[0] and not window[1]:
                    served[who] += 1
                if window[0] and not window[1] and (at >= end or sum(served) >= settings['max']):
                    window[1] = moment()
                if started >= begin:
                    latencies.append(ended - started)

    threads = [threading.Thread(target=caller, args=(who,), daemon=True) for who in range(count('callers'))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(.001, end - now() + PATIENCE_S))
    stuck = dict(stuck=True) if any(thread.is_alive() for thread in threads) else {}
    if errors:
        print(repr(errors[0]), file=sys.stderr)
    return report_of(sum(served), list(latencies), window[0] or moment(), window[1] or moment(), starved=served.count(0),
                     fewest=min(served), most=max(served), errors=len(errors), **stuck)


def apart():
    client = connect()
    locks = [client.Lock(path('-%d' % who)) for who in range(count('callers'))]
    ready()

    def cycle(who, _):
        started = now()
        locks[who].acquire()
        locks[who].release()
        return started, now()
    return contend(cycle)


def together():
    client, section = connect(), Section()
    locks = [client.Lock(path()) for _ in range(count('callers'))]
    ready()

    def cycle(who, _):
        started = now()
        with locks[who]:
            granted = now()
            section.exclusive()
        return started, granted
    return dict(contend(cycle), violations=section.violations)


def readers():
    client, section, writing = connect(), Section(), []
    locks = [(client.ReadLock(path()), client.WriteLock(path())) for _ in range(count('callers'))]
    ready()

    def cycle(who, i):
        writes = (who + i) % WRITES_ONE_IN == 0
        started = now()
        with locks[who][writes]:
            granted = now()
            section.writing() if writes else section.reading(who)
        if writes:
            writing.append(granted - started)
        return started, granted
    report = contend(cycle)
    writing.sort()
    p99 = dict(writerP99ms=writing[math.ceil(len(writing) * .99) - 1] * 1000) if writing else {}
    return dict(report, violations=section.violations, writers=len(writing), **p99)


def handoff():
    a, b = connect().Lock(path()), connect().Lock(path())
    start, granted, released = queue.SimpleQueue(), queue.SimpleQueue(), queue.SimpleQueue()

    def waiter():
        while True:
            start.get()
            b.acquire()
            granted.put(now())
            b.release()
            released.put(True)
    threading.Thread(target=waiter, daemon=True).start()

    def round_(_):
        a.acquire()
        start.put(True)
        time.sleep(.01)
        called = now()
        a.release()
        latency = granted.get() - called
        released.get()
        return latency
    for i in range(count('warmupRounds')):
        round_(i)
    began = moment()
    latencies = [round_(i) for i in range(count('rounds'))]
    return report_of(len(latencies), latencies, began, moment())


def drain():
    client, section = connect(), Section()
    is_first = count('index') == 0
    if is_first:
        first = connect().Lock(path())
        first.acquire()
        mark = section.mark(section.writer)
    release_at = ready() + settings['settle']
    latencies, last = [], []

    def caller():
        with client.Lock(path()):
            latencies.append(time.time() - release_at)
            section.exclusive()
            last[:] = [moment()]
    threads = [threading.Thread(target=caller, daemon=True) for _ in range(count('callers'))]
    for thread in threads:
        thread.start()
    time.sleep(max(0, release_at - time.time()))
    began = moment()
    if is_first:
        if mark:
            os.rmdir(section.writer)
        first.release()
    deadline = now() + DRAIN_LIMIT_S
    for thread in threads:
        thread.join(max(.001, deadline - now()))
    served = len(latencies)
    return report_of(served, list(latencies), began, last[0] if last else moment(), violations=section.violations,
                     starved=len(threads) - served)


PROGRAMS = dict(sequential=sequential, cold=cold, apart=apart, together=together, readers=readers, handoff=handoff,
                drain=drain)
print(json.dumps(PROGRAMS[program]()), flush=True)
os._exit(0)
