import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Who waits gets the lock from another session: see worker/handoff.mjs, herd.mjs, drain.mjs. */
final class Sessions {
  private static final int QUEUE_UP_MS = 10;
  private static final int SETTLE_MS = 3_000;
  private static final long DRAIN_LIMIT_MS = 120_000;

  /** B waits while A holds; measured from A's call of release to B's grant. */
  static Report handoff() throws Exception {
    InterProcessMutex a = mutex(CuratorPeer.connect());
    InterProcessMutex b = mutex(CuratorPeer.connect());
    SynchronousQueue<Boolean> start = new SynchronousQueue<>();
    SynchronousQueue<Long> granted = new SynchronousQueue<>();
    SynchronousQueue<Boolean> released = new SynchronousQueue<>();
    daemon(() -> {
      for (;;) {
        start.take();
        b.acquire();
        granted.put(System.nanoTime());
        b.release();
        released.put(true);
      }
    });
    List<Long> latencies = new ArrayList<>();
    Report.Moment from = null;
    int rounds = CuratorPeer.count("rounds");
    for (int i = -CuratorPeer.count("warmupRounds"); i < rounds; i++) {
      if (i == 0) from = Report.Moment.now();
      a.acquire();
      start.put(true);
      Thread.sleep(QUEUE_UP_MS);
      long releasedAt = System.nanoTime();
      a.release();
      long latency = granted.take() - releasedAt;
      if (i >= 0) latencies.add(latency);
      released.take();
    }
    return new Report(rounds, latencies, from, Report.Moment.now());
  }

  /** Many sessions wait on one key; packets at the server for each release. */
  static Report herd() throws Exception {
    int sessions = CuratorPeer.count("sessions");
    List<InterProcessMutex> mutexes = new ArrayList<>();
    for (int i = 0; i < sessions; i++) mutexes.add(mutex(CuratorPeer.connect()));
    mutexes.get(0).acquire();
    List<Long> latencies = Collections.synchronizedList(new ArrayList<>());
    AtomicLong releasedAt = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (InterProcessMutex mutex : mutexes.subList(1, sessions)) {
      threads.add(daemon(() -> {
        mutex.acquire();
        latencies.add(System.nanoTime() - releasedAt.get());
        Thread.sleep(CuratorPeer.count("hold"));
        releasedAt.set(System.nanoTime());
        mutex.release();
      }));
    }
    Thread.sleep(SETTLE_MS);
    long before = packets();
    Report.Moment from = Report.Moment.now();
    releasedAt.set(System.nanoTime());
    mutexes.get(0).release();
    for (Thread thread : threads) thread.join();
    double perRelease = (packets() - before) / (double) sessions;
    return new Report(sessions, latencies, from, Report.Moment.now()).with("packetsPerRelease", perRelease);
  }

  /** The callers of many processes wait on one key that the first process holds; each wants it once. */
  static Report drain() throws Exception {
    CuratorFramework client = CuratorPeer.connect();
    Section section = new Section();
    boolean isFirst = CuratorPeer.count("index") == 0;
    InterProcessMutex first = isFirst ? mutex(CuratorPeer.connect()) : null;
    if (isFirst) first.acquire();
    boolean mark = isFirst && section.enter();
    double releaseAt = CuratorPeer.ready() + CuratorPeer.number("settle") * 1_000;

    List<Long> latencies = Collections.synchronizedList(new ArrayList<>());
    AtomicReference<Report.Moment> to = new AtomicReference<>();
    InterProcessMutex shared = mutex(client);
    List<Thread> threads = new ArrayList<>();
    int callers = CuratorPeer.count("callers");
    for (int i = 0; i < callers; i++) {
      InterProcessMutex mutex = CuratorPeer.peer.equals("curator-own") ? mutex(client) : shared;
      threads.add(daemon(() -> {
        mutex.acquire();
        latencies.add((long) ((Report.Moment.epochMs() - releaseAt) * 1e6));
        section.exclusive();
        to.set(Report.Moment.now());
        mutex.release();
      }));
    }
    Thread.sleep((long) Math.max(0, releaseAt - Report.Moment.epochMs()));
    Report.Moment from = Report.Moment.now();
    if (isFirst) {
      section.leave(mark);
      first.release();
    }
    long deadline = System.currentTimeMillis() + DRAIN_LIMIT_MS;
    for (Thread thread : threads) thread.join(Math.max(1, deadline - System.currentTimeMillis()));
    int served = latencies.size();
    Report.Moment end = to.get() == null ? Report.Moment.now() : to.get();
    return new Report(served, latencies, from, end)
        .with("violations", section.violations()).with("starved", callers - served);
  }

  private static InterProcessMutex mutex(CuratorFramework client) {
    return new InterProcessMutex(client, CuratorPeer.path(CuratorPeer.text("key")));
  }

  private interface Work {
    void run() throws Exception;
  }

  private static Thread daemon(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception e) {
        e.printStackTrace();
      }
    });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static long packets() throws Exception {
    String[] address = CuratorPeer.server.split(",")[0].split(":");
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      Matcher figures = Pattern.compile("zk_packets_(?:received|sent)\\s+(\\d+)").matcher(text);
      long sum = 0;
      while (figures.find()) sum += Long.parseLong(figures.group(1));
      return sum;
    }
  }

  private Sessions() {}
}
