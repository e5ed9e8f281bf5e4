import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const idBytes = 16
/** Random bytes for the next 256 ids. Generating them for each id would take a quarter of the time of a decision. */
const pool = new Uint8Array(256 * idBytes)
let used = pool.length
let [msecs, seq] = [0, 0]
/** If the clock goes back by more than this, new ids have the earlier time. */
const longestHoldMs = 10_000

/** Creates a UUIDv7 from the wall clock. The ids of one process are in the order of their creation. */
export function newDecisionId(nowMs = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + idBytes)
  used += idBytes
  if (nowMs > msecs || nowMs < msecs - longestHoldMs) {
    msecs = nowMs
    seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1
  } else seq++
  return v7({ random, msecs, seq })
}
