import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.locks.LockPaths;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's locks, as told on standard input; the protocol is in ../support/peer.ts. Each actor is a thread with a
 * client of its own.
 */
public class CuratorWorker {
  private static final long WAIT_SECONDS = 60;

  public static void main(String[] arguments) throws Exception {
    Map<String, CuratorWorker> actors = new HashMap<>();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      actors
          .computeIfAbsent(words[1], name -> new CuratorWorker(name, arguments[0], Integer.parseInt(arguments[1])))
          .handle(words);
    }
    Runtime.getRuntime().halt(0); // the test has ended
  }

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Deque<Grant> grants = new ArrayDeque<>();
  private final CuratorFramework client;
  private final String name;

  private CuratorWorker(String name, String connectString, int sessionTimeoutMs) {
    this.name = name + "@" + ProcessHandle.current().pid();
    client = CuratorFrameworkFactory.newClient(connectString, sessionTimeoutMs, 15_000, new ExponentialBackoffRetry(100, 5));
    client.start();
  }

  private void handle(String[] words) {
    thread.execute(() -> {
      String answer;
      try {
        answer = "ok " + answer(words);
      } catch (Throwable problem) {
        answer = "error " + problem.toString().replace('\n', ' ');
      }
      System.out.println(words[0] + " " + answer);
    });
  }

  private String answer(String[] words) throws Exception {
    switch (words[2]) {
      case "connect":
        client.blockUntilConnected();
        return "0x" + Long.toHexString(client.getZookeeperClient().getZooKeeper().getSessionId());
      case "acquire":
        grants.push(take(words[3], words[4].split(",")));
        return grants.peek().node;
      case "release":
        grants.pop().release.close();
        return "";
      case "asked":
        return grants.peek().asked.get(WAIT_SECONDS, TimeUnit.SECONDS);
      case "revoke":
        Revoker.attemptRevoke(client, participants("mutex", words[4]).findFirst().orElseThrow());
        return "";
      case "participants":
        return participants(words[3], words[4]).collect(Collectors.joining(" "));
      case "contend":
        return contend(words[3], words[4].split(","), words[5], Integer.parseInt(words[6]), Integer.parseInt(words[7]));
      default:
        throw new IllegalArgumentException(words[2]);
    }
  }

  private static class Grant {
    final String node;
    final AutoCloseable release;
    /** Completed when somebody asks the holder to let go. */
    CompletableFuture<String> asked = new CompletableFuture<>();

    Grant(String node, AutoCloseable release) {
      this.node = node;
      this.release = release;
    }
  }

  private Grant take(String kind, String... paths) throws Exception {
    switch (kind.split(":")[0]) {
      case "mutex":
        CompletableFuture<String> asked = new CompletableFuture<>();
        InterProcessMutex mutex = new InterProcessMutex(client, paths[0]);
        mutex.makeRevocable(held -> asked.complete(""));
        Grant grant = take(mutex);
        grant.asked = asked;
        return grant;
      case "read":
        return take(new InterProcessReadWriteLock(client, paths[0]).readLock());
      case "write":
        return take(new InterProcessReadWriteLock(client, paths[0]).writeLock());
      case "semaphore":
        InterProcessSemaphoreV2 semaphore = semaphore(kind, paths[0]);
        Lease lease = semaphore.acquire(WAIT_SECONDS, TimeUnit.SECONDS);
        inTime(lease != null, kind);
        return new Grant(paths[0] + "/leases/" + lease.getNodeName(), () -> semaphore.returnLease(lease));
      case "latch":
        LeaderLatch latch = new LeaderLatch(client, paths[0], name);
        latch.start();
        inTime(latch.await(WAIT_SECONDS, TimeUnit.SECONDS), kind);
        return new Grant(latch.getOurPath(), latch);
      case "selector":
        return lead(paths[0]);
      case "multi":
        List<InterProcessMutex> mutexes =
            Stream.of(paths).map(path -> new InterProcessMutex(client, path)).collect(Collectors.toList());
        InterProcessLock all = new InterProcessMultiLock(List.copyOf(mutexes));
        inTime(all.acquire(WAIT_SECONDS, TimeUnit.SECONDS), kind);
        return new Grant(LockPaths.of(mutexes.get(0)), all::release);
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  private Grant take(InterProcessMutex lock) throws Exception {
    inTime(lock.acquire(WAIT_SECONDS, TimeUnit.SECONDS), lock.getClass().getSimpleName());
    return new Grant(LockPaths.of(lock), lock::release);
  }

  private Grant lead(String path) throws Exception {
    CountDownLatch leads = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    LeaderSelector selector = selector(path, () -> {
      leads.countDown();
      enough.await();
    });
    selector.setId(name);
    selector.start();
    inTime(leads.await(WAIT_SECONDS, TimeUnit.SECONDS), "selector");
    // a selector does not tell its node
    return new Grant(participants("mutex", path).findFirst().orElseThrow(), () -> {
      enough.countDown();
      selector.close();
    });
  }

  private interface Reign {
    void run() throws Exception;
  }

  private LeaderSelector selector(String path, Reign reign) {
    return new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
      @Override
      public void takeLeadership(CuratorFramework leader) throws Exception {
        reign.run();
      }
    });
  }

  private InterProcessSemaphoreV2 semaphore(String kind, String path) {
    return new InterProcessSemaphoreV2(client, path, Integer.parseInt(kind.split(":")[1]));
  }

  private static void inTime(boolean acquired, String kind) throws TimeoutException {
    if (!acquired) throw new TimeoutException(kind + " was not acquired within " + WAIT_SECONDS + " s");
  }

  /** The nodes as Curator sees them; in an election, whose nodes it does not tell, what they say of themselves. */
  private Stream<String> participants(String kind, String path) throws Exception {
    Collection<String> nodes;
    switch (kind.split(":")[0]) {
      case "mutex":
        nodes = new InterProcessMutex(client, path).getParticipantNodes();
        break;
      case "read":
        nodes = new InterProcessReadWriteLock(client, path).readLock().getParticipantNodes();
        break;
      case "write":
        nodes = new InterProcessReadWriteLock(client, path).writeLock().getParticipantNodes();
        break;
      case "semaphore":
        return semaphore(kind, path).getParticipantNodes().stream().map(name -> path + "/leases/" + name);
      case "latch":
        return ids(new LeaderLatch(client, path).getParticipants());
      case "selector":
        return ids(selector(path, () -> {}).getParticipants());
      default:
        throw new IllegalArgumentException(kind);
    }
    return nodes.stream();
  }

  private static Stream<String> ids(Collection<Participant> participants) {
    return participants.stream()
        .map(one -> (one.isLeader() ? "leader:" : "") + URLEncoder.encode(one.getId(), StandardCharsets.UTF_8));
  }

  /** Takes the lock again and again, and writes down when it is in and when it is out. */
  private String contend(String kind, String[] paths, String log, int seconds, int sectionMs) throws Exception {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    int rounds = 0;
    try (FileOutputStream out = new FileOutputStream(log, true)) {
      for (; System.nanoTime() < end; rounds++) {
        String now = kind.equals("read-write") ? (random.nextInt(10) < 7 ? "read" : "write") : kind;
        Grant grant = take(now, paths);
        write(out, "+", now, grant.node);
        Thread.sleep(random.nextInt(sectionMs + 1));
        write(out, "-", now, grant.node);
        grant.release.close();
      }
    }
    return String.valueOf(rounds);
  }

  /** One write each, so that the lines of all processes stand in the log in the order of their writing. */
  private void write(FileOutputStream out, String sign, String kind, String node) throws Exception {
    long sequence = Long.parseLong(node.substring(node.length() - 10));
    out.write(String.format("%s java %s %s %d%n", sign, name, kind, sequence).getBytes(StandardCharsets.UTF_8));
  }
}
