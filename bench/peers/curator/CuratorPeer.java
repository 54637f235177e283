import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** CuratorPeer PEER PROGRAM SERVER [name=value ...]: runs one workload and prints one line, as worker/main.mjs does. */
public final class CuratorPeer {
  private static final List<CuratorFramework> CLIENTS = new ArrayList<>();
  private static final Map<String, String> SETTINGS = new HashMap<>(Map.ofEntries(
      Map.entry("callers", "100"), Map.entry("seconds", "10"), Map.entry("warmup", "3"), Map.entry("max", "2147483647"),
      Map.entry("cycles", "4000"), Map.entry("warmupCycles", "2000"), Map.entry("rounds", "500"),
      Map.entry("warmupRounds", "100"), Map.entry("sessions", "100"), Map.entry("hold", "50"), Map.entry("keys", "10000"),
      Map.entry("settle", "5"), Map.entry("index", "0"), Map.entry("barrier", "0")));

  static String peer;
  static String server;

  public static void main(String[] args) throws Exception {
    peer = args[0];
    server = args[2];
    for (int i = 3; i < args.length; i++) {
      String[] pair = args[i].split("=", 2);
      SETTINGS.put(pair[0], pair[1]);
    }
    Report report = switch (args[1]) {
      case "sequential" -> Sequential.sameKey();
      case "cold" -> Sequential.newKeys();
      case "apart" -> Contention.apart();
      case "together" -> Contention.together();
      case "readers" -> Contention.readers();
      case "handoff" -> Sessions.handoff();
      case "herd" -> Sessions.herd();
      case "drain" -> Sessions.drain();
      default -> throw new IllegalArgumentException(args[1]);
    };
    System.out.println(report.json());
    System.out.flush();
    CLIENTS.forEach(CuratorFramework::close);
    Runtime.getRuntime().halt(0);
  }

  static double number(String name) {
    return Double.parseDouble(SETTINGS.get(name));
  }

  static int count(String name) {
    return (int) number(name);
  }

  static String text(String name) {
    return SETTINGS.get(name);
  }

  /** The node of a key. */
  static String path(String key) {
    return "/bench/" + key;
  }

  /** A client with a connection of its own. */
  static CuratorFramework connect() throws InterruptedException {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(server, 40_000, 15_000, new ExponentialBackoffRetry(1_000, 3));
    client.start();
    client.blockUntilConnected();
    CLIENTS.add(client);
    return client;
  }

  /** Waits for the others of several processes; the time that the driver told, in ms of the epoch. */
  static long ready() {
    if (count("barrier") == 0) return System.currentTimeMillis();
    System.out.println("READY");
    System.out.flush();
    return Long.parseLong(new Scanner(System.in).nextLine().split(" ")[1]);
  }

  private CuratorPeer() {}
}
