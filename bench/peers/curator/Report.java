import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The line that a program prints in the end: see worker/report.mjs. */
final class Report {
  private static final int MOST_SAMPLES = 5_000;
  private final Map<String, String> fields = new LinkedHashMap<>();

  /** @param latencies in ns */
  Report(int n, Collection<Long> latencies, Moment from, Moment to) {
    double[] sorted;
    synchronized (latencies) {
      sorted = latencies.stream().mapToDouble(ns -> ns / 1e6).sorted().toArray();
    }
    with("n", n);
    with("seconds", (to.nanos() - from.nanos()) / 1e9);
    with("cpuSec", (to.cpu() - from.cpu()) / 1e9);
    with("startMs", from.epoch());
    with("endMs", to.epoch());
    with("count", sorted.length);
    int told = Math.min(sorted.length, MOST_SAMPLES);
    StringBuilder samples = new StringBuilder();
    for (int i = 0; i < told; i++) {
      if (i > 0) samples.append(',');
      int rank = (int) (((i + 1L) * sorted.length + told - 1) / told);
      samples.append(String.format(Locale.ROOT, "%.4f", sorted[rank - 1]));
    }
    fields.put("samples", "[" + samples + "]");
  }

  Report with(String name, double value) {
    fields.put(name, String.format(Locale.ROOT, "%.4f", value).replaceFirst("\\.?0+$", ""));
    return this;
  }

  Report with(String name, boolean value) {
    if (value) fields.put(name, "true");
    return this;
  }

  String json() {
    return fields.entrySet().stream()
        .map(field -> "\"" + field.getKey() + "\":" + field.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** On the clocks of this process and of the machine, and the CPU used so far. */
  record Moment(long nanos, double epoch, long cpu) {
    static Moment now() {
      OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Moment(System.nanoTime(), epochMs(), system.getProcessCpuTime());
    }

    /** ms since the epoch, finer than `currentTimeMillis()`. */
    static double epochMs() {
      java.time.Instant now = java.time.Instant.now();
      return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
    }
  }
}
