// Compares what was measured with what is allowed.

/** So much more than the committed figure is allowed, as a part of it: less than one request more for each lock. */
const TOLERANCE = { requests: 0.25, bytes: 0.2 };
/** For requests that are rare: a keep-alive that falls into the measurement. */
const STRAY_REQUESTS = 0.05;

/**
 * @param {Record<string, Figures>} measured by scenario
 * @param {Record<string, Figures>} committed
 * @returns {string[]} a line for each figure that is too large; none when all is well
 *
 * @typedef {{ requests: Record<string, number>, bytes: number }} Figures
 */
export function excesses(measured, committed) {
  return Object.entries(measured).flatMap(([scenario, figures]) => {
    const allowed = committed[scenario];
    if (allowed === undefined) return [`${scenario}: no figure is committed`];
    return [
      ...requestExcesses(figures.requests, allowed.requests),
      ...excess('bytes allocated', figures.bytes, Math.round(allowed.bytes * (1 + TOLERANCE.bytes))),
    ].map((line) => `${scenario}: ${line}`);
  });
}

function requestExcesses(measured, allowed) {
  return Object.entries(measured).flatMap(([op, count]) =>
    excess(`${op} requests`, count, (allowed[op] ?? 0) * (1 + TOLERANCE.requests) + STRAY_REQUESTS),
  );
}

function excess(what, measured, allowed) {
  return measured > allowed
    ? [`${what} per lock: measured ${measured}, allowed ${Number(allowed.toFixed(2))}`]
    : [];
}
