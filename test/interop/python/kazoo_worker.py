"""kazoo's lock and election, as told on standard input; the protocol is in ../support/peer.ts.

Each actor is a thread with a client of its own.
"""
import os
import queue
import random
import sys
import threading
import time
from urllib.parse import quote

from kazoo.client import KazooClient
from kazoo.recipe.election import Election
from kazoo.recipe.lock import Lock, ReadLock

WAIT_SECONDS = 60
ONE_LINE_AT_A_TIME = threading.Lock()


class CuratorNamedLock(Lock):
    """kazoo's lock on nodes that Curator and this library count, and that counts theirs."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


class Reign:
    """Leads, by kazoo's election on the same nodes, until its release."""

    def __init__(self, client, path, name):
        self.path = path
        self.election = Election(client, path)
        self.election.lock = CuratorNamedLock(client, path, name)
        self.leads = threading.Event()
        self.enough = threading.Event()
        self.candidate = threading.Thread(target=self.election.run, args=(self.lead,), daemon=True)
        self.candidate.start()

    def lead(self):
        self.leads.set()
        self.enough.wait()

    def acquire(self, timeout):
        return self.leads.wait(timeout)

    @property
    def node(self):
        return self.election.lock.node

    def release(self):
        self.enough.set()
        self.candidate.join()


class Actor:
    def __init__(self, name, connect_string, timeout_ms):
        self.name = "%s@%d" % (name, os.getpid())
        self.commands = queue.Queue()
        self.grants = []
        self.client = KazooClient(hosts=connect_string, timeout=int(timeout_ms) / 1000)
        self.client.start(timeout=WAIT_SECONDS)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            number, _, *words = self.commands.get()
            try:
                answer = "ok %s" % self.answer(*words)
            except Exception as problem:
                answer = "error %r" % problem
            with ONE_LINE_AT_A_TIME:
                print(number, answer.replace("\n", " "), flush=True)

    def answer(self, command, *arguments):
        if command == "connect":
            return "0x%x" % self.client.client_id[0]
        if command == "acquire":
            self.grants.append(self.take(*arguments))
            return "%s/%s" % (self.grants[-1].path, self.grants[-1].node)
        if command == "release":
            self.grants.pop().release()
            return ""
        if command == "participants":
            # what the nodes say of themselves: kazoo does not tell their names
            return " ".join(map(quote, self.lock(*arguments).contenders()))
        if command == "contend":
            return self.contend(*arguments)
        raise ValueError(command)

    def lock(self, kind, path):
        if kind == "kazoo":
            return Lock(self.client, path, self.name, extra_lock_patterns=["-lock-"])
        if kind == "kazoo-read":
            return ReadLock(self.client, path, self.name)
        if kind == "mutex":
            return CuratorNamedLock(self.client, path, self.name)
        if kind == "selector":
            return Reign(self.client, path, self.name)
        raise ValueError(kind)

    def take(self, kind, path):
        lock = self.lock(kind, path)
        if not lock.acquire(timeout=WAIT_SECONDS):
            raise TimeoutError("%s was not acquired" % path)
        return lock

    def contend(self, kind, path, log, seconds, section_ms):
        """Takes the lock again and again, and writes down when it is in and when it is out."""
        end = time.monotonic() + int(seconds)
        out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        rounds = 0
        while time.monotonic() < end:
            lock = self.take(kind, path)
            line = "python %s %s %d\n" % (self.name, kind, int(lock.node[-10:]))
            os.write(out, ("+ " + line).encode())
            time.sleep(random.random() * int(section_ms) / 1000)
            os.write(out, ("- " + line).encode())
            lock.release()
            rounds += 1
        os.close(out)
        return rounds


actors = {}
for text in sys.stdin:
    words = text.split()
    if words[1] not in actors:
        actors[words[1]] = Actor(words[1], sys.argv[1], sys.argv[2])
    actors[words[1]].commands.put(words)
os._exit(0)  # the test has ended
