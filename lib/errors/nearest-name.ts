/** The candidate that `name` is most likely a misspelling of, if any is close enough. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(name.length / 3));
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter((entry) => entry.distance <= limit && entry.distance < entry.candidate.length)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Levenshtein's: how many letters must be put in, left out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const [left = 0, corner = 0, above = 0] = [next[j], row[j], row[j + 1]];
      next.push(Math.min(left + 1, above + 1, corner + (a[i] === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
