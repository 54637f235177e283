/** Bytes that are no record of the expected shape: too short, or with an impossible length. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';
}
