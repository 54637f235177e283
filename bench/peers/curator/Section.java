import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The critical section, which proves mutual exclusion outside of the lock: see worker/section.mjs. */
final class Section {
  private final AtomicInteger violations = new AtomicInteger();
  private final Path folder;
  private final Path writer;

  Section() throws IOException {
    folder = Path.of(CuratorPeer.text("folder"), CuratorPeer.text("key"));
    writer = folder.resolve("writer");
    Files.createDirectories(folder);
  }

  int violations() {
    return violations.get();
  }

  /** Goes in and out, alone. */
  void exclusive() throws IOException {
    leave(writer, enter());
  }

  /** Goes in alone; whether the mark is this one's own. */
  boolean enter() throws IOException {
    return marked(writer);
  }

  void leave(boolean mine) throws IOException {
    leave(writer, mine);
  }

  /** Beside other readers. */
  void reading(int reader) throws IOException {
    Path mark = folder.resolve("reader-" + reader);
    boolean mine = marked(mark);
    if (Files.exists(writer)) violations.incrementAndGet();
    leave(mark, mine);
  }

  /** Beside nobody. */
  void writing() throws IOException {
    boolean mine = enter();
    try (Stream<Path> inside = Files.list(folder)) {
      if (inside.anyMatch(mark -> !mark.equals(writer))) violations.incrementAndGet();
    }
    leave(writer, mine);
  }

  private boolean marked(Path mark) throws IOException {
    try {
      Files.createDirectory(mark);
      return true;
    } catch (FileAlreadyExistsException e) {
      violations.incrementAndGet();
      return false;
    }
  }

  private static void leave(Path mark, boolean mine) throws IOException {
    if (mine) Files.delete(mark);
  }
}
