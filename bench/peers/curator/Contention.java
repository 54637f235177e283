import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/** Many callers in one process, for a while: see worker/concurrent.mjs. */
final class Contention {
  private static final int WRITES_ONE_IN = 20;
  private static final long PATIENCE_MS = 10_000;

  /** When the latency of a cycle began, and ended. */
  private record Latency(long startedAt, long endedAt) {}

  private interface Cycle {
    Latency run(int caller, int i) throws Exception;
  }

  /** Each caller on its own key; the latency is that of a whole cycle. */
  static Report apart() throws Exception {
    CuratorFramework client = CuratorPeer.connect();
    List<InterProcessMutex> mutexes = new ArrayList<>();
    for (int i = 0; i < CuratorPeer.count("callers"); i++) {
      mutexes.add(new InterProcessMutex(client, CuratorPeer.path(CuratorPeer.text("key") + "-" + i)));
    }
    CuratorPeer.ready();
    return contend((caller, i) -> {
      InterProcessMutex mutex = mutexes.get(caller);
      long startedAt = System.nanoTime();
      mutex.acquire();
      mutex.release();
      return new Latency(startedAt, System.nanoTime());
    });
  }

  /** All on one key; the latency is that of acquire. */
  static Report together() throws Exception {
    CuratorFramework client = CuratorPeer.connect();
    Section section = new Section();
    String path = CuratorPeer.path(CuratorPeer.text("key"));
    List<InterProcessMutex> mutexes = perCaller(() -> new InterProcessMutex(client, path));
    CuratorPeer.ready();
    Report report = contend((caller, i) -> {
      InterProcessMutex mutex = mutexes.get(caller);
      long startedAt = System.nanoTime();
      mutex.acquire();
      long grantedAt = System.nanoTime();
      try {
        section.exclusive();
      } finally {
        mutex.release();
      }
      return new Latency(startedAt, grantedAt);
    });
    return report.with("violations", section.violations());
  }

  /** Readers beside each other, and now and then a writer alone. */
  static Report readers() throws Exception {
    CuratorFramework client = CuratorPeer.connect();
    Section section = new Section();
    String path = CuratorPeer.path(CuratorPeer.text("key"));
    List<InterProcessReadWriteLock> locks = perCaller(() -> new InterProcessReadWriteLock(client, path));
    List<Long> writing = Collections.synchronizedList(new ArrayList<>());
    CuratorPeer.ready();
    Report report = contend((caller, i) -> {
      boolean writes = (caller + i) % WRITES_ONE_IN == 0;
      InterProcessReadWriteLock both = locks.get(caller);
      InterProcessLock lock = writes ? both.writeLock() : both.readLock();
      long startedAt = System.nanoTime();
      lock.acquire();
      long grantedAt = System.nanoTime();
      try {
        if (writes) section.writing();
        else section.reading(caller);
      } finally {
        lock.release();
      }
      if (writes) writing.add(grantedAt - startedAt);
      return new Latency(startedAt, grantedAt);
    });
    Collections.sort(writing);
    if (!writing.isEmpty()) report.with("writerP99ms", writing.get((int) Math.ceil(writing.size() * 0.99) - 1) / 1e6);
    return report.with("violations", section.violations()).with("writers", writing.size());
  }

  /** One lock for each caller, or the same for all. */
  private static <T> List<T> perCaller(java.util.function.Supplier<T> make) {
    T shared = make.get();
    List<T> locks = new ArrayList<>();
    boolean own = CuratorPeer.peer.equals("curator-own");
    for (int i = 0; i < CuratorPeer.count("callers"); i++) locks.add(own ? make.get() : shared);
    return locks;
  }

  private static Report contend(Cycle cycle) throws InterruptedException {
    int callers = CuratorPeer.count("callers");
    int max = CuratorPeer.count("max");
    long begin = System.nanoTime() + (long) (CuratorPeer.number("warmup") * 1e9);
    long end = begin + (long) (CuratorPeer.number("seconds") * 1e9);
    List<Long> latencies = Collections.synchronizedList(new ArrayList<>());
    AtomicIntegerArray served = new AtomicIntegerArray(callers);
    AtomicInteger n = new AtomicInteger();
    AtomicInteger errors = new AtomicInteger();
    AtomicReference<Report.Moment> from = new AtomicReference<>();
    AtomicReference<Report.Moment> to = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int c = 0; c < callers; c++) {
      int caller = c;
      Thread thread = new Thread(() -> {
        for (int i = 0; n.get() < max && System.nanoTime() < end; i++) {
          try {
            Latency latency = cycle.run(caller, i);
            long now = System.nanoTime();
            if (from.get() == null) {
              if (now >= begin) from.compareAndSet(null, Report.Moment.now());
            } else if (to.get() == null) {
              served.incrementAndGet(caller);
              if (n.incrementAndGet() >= max || now >= end) to.compareAndSet(null, Report.Moment.now());
            }
            if (latency.startedAt >= begin) latencies.add(latency.endedAt - latency.startedAt);
          } catch (Exception e) {
            if (errors.getAndIncrement() == 0) e.printStackTrace();
          }
        }
      });
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    boolean stuck = false;
    for (Thread thread : threads) {
      thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000 + PATIENCE_MS));
      stuck |= thread.isAlive();
    }
    from.compareAndSet(null, Report.Moment.now());
    to.compareAndSet(null, Report.Moment.now());
    int[] each = new int[callers];
    Arrays.setAll(each, served::get);
    return new Report(n.get(), latencies, from.get(), to.get())
        .with("starved", Arrays.stream(each).filter(count -> count == 0).count())
        .with("fewest", Arrays.stream(each).min().orElse(0))
        .with("most", Arrays.stream(each).max().orElse(0))
        .with("errors", errors.get())
        .with("stuck", stuck);
  }

  private Contention() {}
}
