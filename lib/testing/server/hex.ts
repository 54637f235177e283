/** A session id or zxid as ZooKeeper's logs show it: hex, without a sign. */
export function hex(value: bigint): string {
  return `0x${BigInt.asUintN(64, value).toString(16)}`;
}
