import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** One caller, one cycle after the other. */
final class Sequential {
  private interface Cycle {
    void run(int i) throws Exception;
  }

  static Report sameKey() throws Exception {
    InterProcessMutex mutex = new InterProcessMutex(CuratorPeer.connect(), CuratorPeer.path(CuratorPeer.text("key")));
    Cycle cycle = i -> {
      mutex.acquire();
      mutex.release();
    };
    return measured(CuratorPeer.count("cycles"), cycle, cycle);
  }

  static Report newKeys() throws Exception {
    CuratorFramework client = CuratorPeer.connect();
    String key = CuratorPeer.path(CuratorPeer.text("key"));
    return measured(CuratorPeer.count("keys"), i -> once(client, key + "-warm-" + i), i -> once(client, key + "-" + i));
  }

  private static void once(CuratorFramework client, String path) throws Exception {
    InterProcessMutex mutex = new InterProcessMutex(client, path);
    mutex.acquire();
    mutex.release();
  }

  private static Report measured(int times, Cycle warm, Cycle cycle) throws Exception {
    for (int i = 0; i < CuratorPeer.count("warmupCycles"); i++) warm.run(i);
    List<Long> latencies = new ArrayList<>();
    Report.Moment from = Report.Moment.now();
    for (int i = 0; i < times; i++) {
      long startedAt = System.nanoTime();
      cycle.run(i);
      latencies.add(System.nanoTime() - startedAt);
    }
    return new Report(times, latencies, from, Report.Moment.now());
  }

  private Sequential() {}
}
