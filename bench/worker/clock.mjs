export const now = () => performance.now();

/** ms since the epoch, finer than `Date.now()`: the same for all processes of a machine. */
export const epoch = () => performance.timeOrigin + performance.now();

/** A moment: on the clocks of this process and of the machine, and the CPU used so far. */
export const snapshot = () => ({ at: now(), epoch: epoch(), cpu: process.cpuUsage() });
