package org.apache.curator.framework.recipes.locks;

/** Curator tells the node of a held lock only to its own package. */
public final class LockPaths {
  private LockPaths() {}

  public static String of(InterProcessMutex lock) {
    return lock.getLockPath();
  }
}
