// The arguments of a peer's program: PEER PROGRAM SERVER name=value ...

/** Defaults of what can be told to a program. Seconds where the name says nothing else. */
const DEFAULTS = {
  key: undefined,
  /** Where the sections leave their marks. */
  folder: undefined,
  callers: 100,
  /** How long is measured, and how long the peer runs before. */
  seconds: 10,
  warmup: 3,
  /** Ends the measurement earlier, after so many cycles. */
  max: Infinity,
  cycles: 4_000,
  /** So many that every peer's compiler has done its work. */
  warmupCycles: 2_000,
  rounds: 500,
  warmupRounds: 100,
  sessions: 100,
  /** ms that a lock is held in the workload of many sessions. */
  hold: 50,
  keys: 10_000,
  /** From the start to the first release, in the workload of a deep queue. */
  settle: 5,
  /** Which of several processes this is. */
  index: 0,
  /** 1: says READY and waits for a line. */
  barrier: 0,
};
const TEXTS = ['key', 'folder'];

export function readSettings(args) {
  const settings = { ...DEFAULTS };
  for (const pair of args) {
    const [name, value] = pair.split('=');
    if (!(name in DEFAULTS)) throw new Error(`There is no setting "${name}".`);
    settings[name] = TEXTS.includes(name) ? value : Number(value);
  }
  return settings;
}
