const LARGEST_DISTANCE = 2;

/** The name that was probably meant: equal but for case, or at most two edits away. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const wanted = written.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // Two edits make any short name of any other.
  const limit = Math.min(LARGEST_DISTANCE, Math.floor((written.length + 1) / 3));
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
