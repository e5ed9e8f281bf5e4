// May take over 10 s: each test starts several edges on one folder, and waits for the signatures of their records.
import { randomUUID } from 'node:crypto'
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/carry/freshness.ts'
import type { EdgeConfig } from '../../src/config.ts'
import { startEdge } from '../../src/start-edge.ts'
import { ChainPlane } from './chain-plane.ts'

const agentId = '6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'
/** Its wall clock stands still. The end of a minute ends reporting windows and frees the seats of ended edges, at a moment that no test chose. */
const wallMs = Date.now()
const stillClock: Clock = () => ({ ...systemClock(), wallMs })
const soon = { timeout: 60_000, interval: 50 }

async function newPlane(): Promise<ChainPlane> {
  const plane = await ChainPlane.start()
  onTestFinished(() => plane.close())
  return plane
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-signed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'state')
}

interface Started {
  stateDir: string
  key?: string
  agent?: string
  clock?: Clock
}

async function start(plane: ChainPlane, { stateDir, key = 'ek_test', agent = agentId, clock = stillClock }: Started) {
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const config = {
    stateDir,
    key,
    controlPlane: plane.url,
    agentIds: [agent],
    missedBeats: 5,
    keptWhenAway: new Set(),
    spoolBytes: 1e8,
    fsync: 'second',
  } as unknown as EdgeConfig
  const edge = await startEdge(config, log, { clock })
  let isClosed = false
  const close = async () => {
    if (!isClosed) await edge.close()
    isClosed = true
  }
  onTestFinished(close)
  const guard = edge.guardFor(agent)
  const decide = async (count: number) => {
    const calls = Array.from({ length: count }, () => guard.decide({ tool: 'fn:a/b', args: {} }))
    return (await Promise.all(calls)).map(({ decisionId }) => decisionId)
  }
  const said = (text: string) => logged.filter(({ msg }) => String(msg).includes(text))
  return { decide, close, said }
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const idsOf = (records: { decision_id: string }[]) => records.map(({ decision_id }) => decision_id)
const seatOf = (stateDir: string) => join(stateDir, 'seats', '1')
const keyFileIn = async (stateDir: string) => {
  const name = (await readdir(seatOf(stateDir))).find((file) => file.startsWith('decision-key-'))
  return join(seatOf(stateDir), name as string)
}

describe('a decision', () => {
  it('is signed and chained from the first record on, across restarts', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    const ids: string[] = []
    for (const count of [3, 1, 1500]) {
      const edge = await start(plane, { stateDir })
      ids.push(...(await edge.decide(count)))
      await edge.close()
    }
    expect(plane.numbers).toEqual([range(1504)])
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
    expect(idsOf(plane.signed)).toEqual(ids)
  })

  it('waits while the control plane is away, and the chain goes on', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    for (const count of [2, 3]) {
      const edge = await start(plane, { stateDir })
      await edge.decide(count)
      await edge.close()
    }
    plane.isDown = false
    const edge = await start(plane, { stateDir })
    await edge.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([range(6)])
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
  })

  it('is sent again after a lost answer, and after a crash before the answer was noted', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.losesAnswers = true
    const edge = await start(plane, { stateDir })
    await edge.decide(3)
    await expect.poll(() => plane.batches, soon).toBeGreaterThan(1)
    const crashed = `${stateDir}-crashed`
    await cp(stateDir, crashed, { recursive: true })
    plane.losesAnswers = false
    const again = await start(plane, { stateDir: crashed })
    await again.decide(2)
    await expect.poll(() => plane.numbers, soon).toEqual([range(5)])
    expect([plane.forks, plane.faults]).toEqual([[], []])
    await again.close()
  })

  it('that is refused goes to refused.ndjson with its reason, and the others are stored', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    const edge = await start(plane, { stateDir })
    let bad = ''
    plane.refuse = ({ seq, decision_id }) => {
      if (seq === 2) bad = decision_id
      return seq === 2 ? 'agent not found' : null
    }
    await edge.decide(3)
    await expect.poll(() => plane.numbers, soon).toEqual([range(3)])
    const refused = () => readFile(join(seatOf(stateDir), 'refused.ndjson'), 'utf8').catch(() => '')
    // The edge writes the file after it has read the response.
    await expect.poll(refused, soon).not.toBe('')
    await edge.close()
    const [line, ...more] = (await refused()).trim().split('\n')
    expect(JSON.parse(line as string)).toMatchObject({ refused: 'agent not found', decision: { decision_id: bad } })
    expect(more).toEqual([])
  })

  it('keeps its place when the clock is an hour off after a restart', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    for (const hours of [0, 1, -1]) {
      const clock = () => ({ ...systemClock(), wallMs: wallMs + hours * 3_600_000 })
      const edge = await start(plane, { stateDir, clock })
      await edge.decide(2)
      await edge.close()
    }
    plane.isDown = false
    await start(plane, { stateDir })
    await expect.poll(() => plane.numbers, soon).toEqual([range(6)])
    expect([plane.forks, plane.faults]).toEqual([[], []])
  })

  it('is registered again if the control plane lost the key', async () => {
    const plane = await newPlane()
    const edge = await start(plane, { stateDir: await newFolder() })
    await edge.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([[1]])
    plane.keys.clear()
    await edge.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([[1, 2]])
    expect(edge.said('does not know the key')).toHaveLength(1)
  })

  it('waits if the attestation of its key is not from the trusted control plane', async () => {
    const plane = await newPlane()
    plane.registration = 'forge'
    const edge = await start(plane, { stateDir: await newFolder() })
    await edge.decide(1)
    await expect.poll(() => plane.keys.size, soon).toBe(1)
    plane.registration = 'attest'
    await expect.poll(() => plane.numbers, soon).toEqual([[1]])
    expect(edge.said('cannot send decisions')[0]?.reason).toContain('attestation')
    expect(plane.unsigned).toEqual([])
  })
})

describe('the chain of a seat', () => {
  it('shows a line that was lost on disk as a gap', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    const edge = await start(plane, { stateDir })
    await edge.decide(4)
    await edge.close()
    const spool = join(seatOf(stateDir), 'spool')
    const file = join(spool, (await readdir(spool))[0] as string)
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, [lines[0], 'x'.repeat(lines[1]?.length ?? 0), ...lines.slice(2)].join('\n'))
    plane.isDown = false
    await start(plane, { stateDir })
    await expect.poll(() => plane.numbers, soon).toEqual([[1, 3, 4]])
    expect(plane.forks).toEqual([])
  })

  it('does not reuse the position of a damaged last line, but reuses the position of an incomplete line', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    const edge = await start(plane, { stateDir })
    await edge.decide(3)
    await edge.close()
    const spool = join(seatOf(stateDir), 'spool')
    const file = join(spool, (await readdir(spool))[0] as string)
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, `${lines[0]}\n${'\0'.repeat(50)}\n${lines[2]?.slice(0, 50)}`)
    plane.isDown = false
    const again = await start(plane, { stateDir })
    await again.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([[1, 3]])
    expect(plane.forks).toEqual([])
  })

  it('continues after the spool was sent, counted and deleted', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    let hours = 0
    const clock = () => ({ ...systemClock(), wallMs: wallMs + hours * 3_600_000 })
    const edge = await start(plane, { stateDir, clock })
    await edge.decide(5)
    await expect.poll(() => plane.numbers, soon).toEqual([range(5)])
    hours = 1
    await expect.poll(() => readdir(join(seatOf(stateDir), 'spool')), soon).toEqual([])
    await edge.close()
    const again = await start(plane, { stateDir })
    await again.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([range(6)])
    expect(plane.forks).toEqual([])
  })

  it('forks visibly if an earlier copy of the state folder is used', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    const edge = await start(plane, { stateDir })
    await edge.decide(2)
    await edge.close()
    await cp(stateDir, `${stateDir}-copy`, { recursive: true })
    const goneOn = await start(plane, { stateDir })
    await goneOn.decide(2)
    await goneOn.close()
    const restored = await start(plane, { stateDir: `${stateDir}-copy` })
    const [id] = await restored.decide(1)
    await expect.poll(() => plane.forks, soon).toContain(3)
    expect(id).toBeDefined()
    await restored.close()
  })

  it.each([
    ['is deleted', (file: string) => rm(file), null],
    ['can be read by other accounts', (file: string) => chmod(file, 0o644), 'other accounts'],
    [
      'was changed',
      async (file: string) => writeFile(file, (await readFile(file, 'utf8')).replace('false', 'true')),
      'damaged',
    ],
    ['is cut', (file: string) => truncate(file, 20), 'damaged'],
    ['is empty', (file: string) => truncate(file, 0), 'damaged'],
  ])('begins again with another key if the file of the key %s', async (_, harm, why) => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    const edge = await start(plane, { stateDir })
    await edge.decide(2)
    await edge.close()
    await harm(await keyFileIn(stateDir))
    const again = await start(plane, { stateDir })
    await again.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([[1, 2], [1]])
    expect(again.said('a new chain begins')).toHaveLength(1)
    const told = again.said('not using the key')
    if (why === null) expect(told).toEqual([])
    else expect(told[0]?.msg).toContain(why)
    expect([plane.forks, plane.faults]).toEqual([[], []])
  })

  it('has its key in a file for its owner only, and never sends the private half', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    await start(plane, { stateDir })
    await expect.poll(() => plane.keys.size, soon).toBe(1)
    expect([...plane.keys.values()][0]).toContain('PUBLIC KEY')
    expect((await stat(await keyFileIn(stateDir))).mode & 0o777).toBe(0o600)
  })
})

describe('two seats of a state folder', () => {
  it('have their own keys', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    const edges = [await start(plane, { stateDir }), await start(plane, { stateDir })]
    for (const edge of edges) await edge.decide(2)
    await expect.poll(() => plane.numbers, soon).toEqual([range(2), range(2)])
    expect([plane.forks, plane.faults]).toEqual([[], []])
  })

  it('the records of an ended edge are sent with their own key, and its chain goes on later', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    const edges = [await start(plane, { stateDir }), await start(plane, { stateDir })]
    for (const edge of edges) await edge.decide(2)
    for (const edge of edges) await edge.close()
    plane.isDown = false
    const edge = await start(plane, { stateDir })
    await edge.decide(1)
    await expect.poll(() => plane.numbers.map(({ length }) => length).sort(), soon).toEqual([2, 3])
    // The seat stays locked until its minute is counted, so another edge takes a third seat.
    const third = await start(plane, { stateDir })
    await third.decide(1)
    await expect.poll(() => plane.chains.size, soon).toBe(3)
    await third.close()
    await edge.close()
    const both = [await start(plane, { stateDir }), await start(plane, { stateDir })]
    for (const one of both) await one.decide(1)
    await expect.poll(() => plane.numbers.map(({ length }) => length).sort(), soon).toEqual([1, 3, 4])
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
  })

  it('keep records of another credential until an edge with that credential sends them', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    const other = { stateDir, key: 'ak_other', agent: randomUUID() }
    const left = await start(plane, other)
    await left.decide(2)
    await left.close()
    plane.isDown = false
    const edge = await start(plane, { stateDir })
    await edge.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([[1]])
    await edge.close()
    expect(plane.numbers).toEqual([[1]])
    const back = await start(plane, other)
    await back.decide(1)
    await expect.poll(() => plane.numbers, soon).toEqual([[1], range(3)])
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
  })

  it('after the credential was renewed, the waiting records are sent with their key, and a new chain begins', async () => {
    const plane = await newPlane()
    const stateDir = await newFolder()
    plane.isDown = true
    const before = await start(plane, { stateDir })
    await before.decide(2)
    await before.close()
    plane.isDown = false
    const renewed = await start(plane, { stateDir, key: 'ek_renewed' })
    await renewed.decide(1)
    await expect.poll(() => plane.numbers.sort((a, b) => b.length - a.length), soon).toEqual([[1, 2], [1]])
    expect([plane.forks, plane.faults, plane.unsigned]).toEqual([[], [], []])
  })
})

describe('a control plane that takes no keys', () => {
  it.each(['earlier', 'refuse'] as const)('gets unsigned decisions: %s', async (how) => {
    const plane = await newPlane()
    if (how === 'earlier') plane.version = how
    else plane.registration = how
    const stateDir = await newFolder()
    const edge = await start(plane, { stateDir })
    await edge.decide(2)
    await expect.poll(() => plane.unsigned, soon).toHaveLength(2)
    expect([plane.chains.size, plane.faults]).toEqual([0, []])
    await edge.close()
    plane.version = 'signed'
    plane.registration = 'attest'
    // A chain whose first records were sent unsigned is not continued, because its signed part would begin with a gap.
    const again = await start(plane, { stateDir })
    await expect.poll(() => again.said('a new chain begins'), soon).toHaveLength(1)
    await again.decide(2)
    await expect.poll(() => plane.numbers, soon).toEqual([range(2)])
    expect([plane.forks, plane.faults]).toEqual([[], []])
  })
})
