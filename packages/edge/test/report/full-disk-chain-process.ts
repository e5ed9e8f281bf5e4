import { rmSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { type ChainedRecord, emptyChain, headAfter } from '../../src/report/record-chain.ts'
import { SeatKeys } from '../../src/report/seat-keys.ts'
import { type DecisionRecord, Spool } from '../../src/report/spool.ts'
import { StateSeal } from '../../src/state/state-seal.ts'

/**
 * Records decisions on the small file system in the first argument until it is full, makes room, and records more. Prints how
 * many decisions were refused, whether the lines on disk form one chain, and whether the spool opens at its end.
 */
const disk = process.argv[2] as string
const seat = join(disk, 'seats', '1')
await mkdir(seat, { recursive: true })
const agentId = '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'
const parts = { seat, seal: new StateSeal('ek_test'), agentIds: [agentId], log: pino({ level: 'silent' }) }
const folder = join(seat, 'spool')

async function open() {
  const keys = await SeatKeys.read(parts)
  const { kid } = await keys.open()
  return await Spool.open(folder, {
    kid,
    keys,
    maxBytes: 1e9,
    agentIds: [agentId],
    fsync: 'each',
    offsetMs: 0,
    now: Date.now,
  })
}

const decision = (n: number): DecisionRecord => ({
  decision_id: `${n}`,
  agent_id: agentId,
  tool: 'x'.repeat(300),
  effect: 'deny',
  mode: 'enforce',
  policy_version: 1,
  args_digest: '',
  at: new Date().toISOString(),
})

const spool = await open()
const kept: string[] = []
let refused = 0
const record = async (from: number, count: number) => {
  const group = Array.from({ length: count }, (_, n) => decision(from + n))
  for (const [n, { status }] of (await Promise.allSettled(group.map((one) => spool.append(one)))).entries()) {
    if (status === 'rejected') refused++
    else kept.push(`${from + n}`)
  }
}
for (let from = 0; refused < 30; from += 10) await record(from, 10)
rmSync(join(disk, 'fill'))
for (let from = 10_000; from < 10_030; from += 10) await record(from, 10)
await spool.close()

const files = (await readdir(folder)).sort()
const lines = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
const records: ChainedRecord[] = lines
  .join('')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
let head = emptyChain
for (const one of records) {
  if (one.prev !== head.hash || one.seq !== head.seq + 1) break
  head = headAfter(one)
}
const again = await open()
await again.append(decision(20_000))
let last: DecisionRecord | undefined
// A batch has decisions of one reporting window. A window may have ended meanwhile.
for (let batch = await again.next(1e6, 1e9); batch; batch = await again.next(1e6, 1e9)) {
  last = batch.records.at(-1) ?? last
  batch.sent()
}
await again.close()
process.stdout.write(
  JSON.stringify({
    refused: refused >= 30,
    isWhole: head.seq === records.length,
    hasAll: records.map(({ decision_id }) => decision_id).join() === kept.join(),
    goesOn: last?.seq === head.seq + 1 && last?.prev === head.hash,
  }),
)
