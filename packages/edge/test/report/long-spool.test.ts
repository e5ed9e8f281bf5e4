import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { readSegmentFile, type SegmentName, segmentFile } from '../../src/report/segment-name.ts'
import { Spool } from '../../src/report/spool.ts'

const agentId = randomUUID()
const recordsInSegment = 12_000
const segments = 20

it('a long spool is opened and read in little memory: 240,000 records with a heap of 64 MiB', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-long-spool-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeSegment(folder)
  const [first = ''] = await readdir(folder)
  const name = readSegmentFile(first) as SegmentName
  for (let number = name.number + 1; number < name.number + segments; number++)
    await copyFile(join(folder, first), join(folder, segmentFile({ ...name, number })))
  const program = join(import.meta.dirname, 'long-spool-process.ts')
  // All records together need several times this heap, so the process would be killed.
  const run = promisify(execFile)(process.execPath, ['--max-old-space-size=64', program, folder, agentId])
  expect((await run).stdout).toBe(String(recordsInSegment * segments))
})

/** Writes one segment of almost 4 MiB, the usual size. */
async function writeSegment(folder: string): Promise<void> {
  const spool = await Spool.open(folder, {
    maxBytes: 1e9,
    agentIds: [agentId],
    fsync: 'second',
    offsetMs: 0,
    now: () => 0,
  })
  const record = (n: number) =>
    ({
      decision_id: randomUUID(),
      agent_id: agentId,
      tool: `mcp:files/tool-${n}`,
      effect: 'allow',
      mode: 'enforce',
      policy_version: 1,
      args_digest: 'a'.repeat(64),
      at: new Date().toISOString(),
    }) as const
  await Promise.all(Array.from({ length: recordsInSegment }, (_, n) => spool.append(record(n))))
  await spool.close()
}
