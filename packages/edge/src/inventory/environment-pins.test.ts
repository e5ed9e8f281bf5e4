import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PinnedTool } from '@mandate/contract/tools'
import { canonicalJson } from '@mandate/proofs/canonical'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { SigningKeys } from '../carry/signing-keys.ts'
import { type Asked, type ControlPlane, ControlPlaneAway } from '../control-plane/control-plane.ts'
import { StateSeal } from '../state/state-seal.ts'
import { EnvironmentPins } from './environment-pins.ts'

const tenantId = '01890000-0000-7000-8000-000000000001'
const production = '01890000-0000-7000-8000-000000000002'
const staging = '01890000-0000-7000-8000-000000000003'
const trusted = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const pem = trusted.publicKey.export({ type: 'spki', format: 'pem' }).toString()

const pinned = (tool: string, ...pins: string[]): PinnedTool => ({ tool, blocked: false, pins, labels: [] })
const blocked = (tool: string): PinnedTool => ({ tool, blocked: true, pins: [], labels: [] })

interface PageOptions {
  version: number
  since?: number
  tools?: PinnedTool[]
  next_page_token?: string
  at?: number
  environment_id?: string
  tenant_id?: string
}

let clock = 0
function page({ at = ++clock, ...given }: PageOptions, key = trusted.privateKey): Record<string, unknown> {
  const fields = { tenant_id: tenantId, environment_id: production, since: 0, pinning: 'enforce', tools: [], ...given }
  const unsigned = { ...fields, issued_at: new Date(at * 1000).toISOString() }
  return { ...unsigned, signature: sign(null, Buffer.from(canonicalJson(unsigned)), key).toString('base64') }
}

/** An edge whose control plane answers requests for pins with `says.answers`, in order. */
async function startWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-pins-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const says = { answers: [] as unknown[], asked: [] as string[], environmentId: production }
  const plane: ControlPlane = {
    async ask({ path }: Asked) {
      if (path === '/edge/signing-key') return { status: 200, body: { keys: [{ kid: '1', public_key_pem: pem }] } }
      says.asked.push(path)
      const next = says.answers.shift()
      if (next === undefined) throw new ControlPlaneAway('gone')
      return { status: 200, body: next }
    },
  }
  const seal = new StateSeal('ek_test')
  const keys = await SigningKeys.open(folder, plane, undefined, seal)
  const changes: number[] = []
  const start = async (isNamed = false, seats: { seat?: string; otherSeats?: string[] } = {}) => {
    const pins = new EnvironmentPins({
      plane,
      keys,
      seal,
      seat: folder,
      ...seats,
      log: pino({ level: 'silent' }),
      tenantId: () => tenantId,
      environmentId: () => says.environmentId,
      onChange: () => changes.push(changes.length),
    })
    onTestFinished(() => pins.close())
    await pins.load(isNamed)
    const follow = async (version: number | undefined, ...answers: unknown[]) => {
      says.answers = answers
      pins.follow(version === undefined ? undefined : { version })
      await pins.settled()
      return pins.current
    }
    return { pins, follow }
  }
  return { says, start, folder, changes, file: seal.fileIn(folder, 'pins') }
}

const entries = (current: unknown) =>
  [...(current as { tools: Map<string, { isBlocked: boolean; pins: Set<string> }> }).tools].map(
    ([tool, { isBlocked, pins }]) => (isBlocked ? `${tool} blocked` : [tool, ...pins].join(' ')),
  )

it('has none until the control plane names a version, and then fetches all pages', async () => {
  const { says, start, changes } = await startWorld()
  const { pins, follow } = await start()
  expect(pins.current).toBeNull()
  const first = page({ version: 4, tools: [pinned('mcp:a/b', 'h1')], next_page_token: 'to ken' })
  const current = await follow(4, first, page({ version: 5, tools: [blocked('mcp:a/c')] }))
  expect(entries(current)).toEqual(['mcp:a/b h1', 'mcp:a/c blocked'])
  expect(current).toMatchObject({ version: 4, pinning: 'enforce' })
  expect(says.asked).toEqual(['/edge/pins', '/edge/pins?page_token=to%20ken'])
  expect(changes).toHaveLength(1)
  await follow(4)
  expect(says.asked).toHaveLength(2)
})

it('does not stop calls while the first pins of an environment are fetched, but after a few failures', async () => {
  const { start } = await startWorld()
  const { pins, follow } = await start()
  expect(await follow(undefined)).toBeNull()
  expect(await follow(2)).toBeNull()
  for (let failures = 1; failures < 5; failures++) await failOnce(pins)
  expect(pins.current).toBe('unknown')
})

it('fetches only what changed, and keeps the rest', async () => {
  const { says, start } = await startWorld()
  const { follow } = await start()
  await follow(1, page({ version: 1, tools: [pinned('mcp:a/b', 'h1'), pinned('mcp:a/c', 'h2')] }))
  const current = await follow(2, page({ version: 2, since: 1, tools: [blocked('mcp:a/b')] }))
  expect(says.asked.at(-1)).toBe('/edge/pins?since=1')
  expect(entries(current)).toEqual(['mcp:a/b blocked', 'mcp:a/c h2'])
})

it('is unknown until pins that are named can be fetched, and keeps earlier pins for a few failures only', async () => {
  const { start } = await startWorld()
  const { pins, follow } = await start()
  expect(await follow(1)).toBe('unknown')
  const other = await start(true)
  expect(other.pins.current).toBe('unknown')
  const current = await follow(1, page({ version: 1, tools: [blocked('mcp:a/b')] }))
  await expect
    .poll(() => entries(pins.current === 'unknown' ? { tools: new Map() } : pins.current))
    .toEqual(['mcp:a/b blocked'])
  expect(current).not.toBeNull()
  await follow(2)
  expect(entries(pins.current)).toEqual(['mcp:a/b blocked'])
  for (let failures = 1; failures < 5; failures++) await failOnce(pins)
  expect(pins.current).toBe('unknown')
})

/** Ends the wait after a failure, so that the next try comes at once. */
async function failOnce(pins: EnvironmentPins): Promise<void> {
  pins.follow({ version: 2 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await pins.settled()
}

it.each<[string, () => unknown]>([
  ['signed by another key', () => page({ version: 3, tools: [] }, stranger.privateKey)],
  ['changed after it was signed', () => ({ ...page({ version: 3 }), pinning: 'off' })],
  ['of another tenant', () => page({ version: 3, tenant_id: staging })],
  ['an answer to another request', () => page({ version: 3, since: 1 })],
  ['of an earlier time and version', () => page({ version: 1, at: 1 })],
  ['not pins', () => ({ version: 3 })],
])('does not accept pins that are %s', async (_title, answer) => {
  clock = 10
  const { start } = await startWorld()
  const { pins, follow } = await start()
  await follow(2, page({ version: 2, tools: [blocked('mcp:a/b')] }))
  await follow(3, answer())
  expect(pins.current).toMatchObject({ version: 2, pinning: 'enforce' })
  expect(entries(pins.current)).toEqual(['mcp:a/b blocked'])
})

it('takes an earlier version that was signed later, as after a restored database', async () => {
  const { start } = await startWorld()
  const { follow } = await start()
  await follow(9, page({ version: 9, tools: [blocked('mcp:a/b')] }))
  expect(entries(await follow(3, page({ version: 3, tools: [pinned('mcp:a/b', 'h1')] })))).toEqual(['mcp:a/b h1'])
})

it('reads the pins of another environment from the start, also if they have the same version', async () => {
  const { says, start } = await startWorld()
  const { follow } = await start()
  await follow(2, page({ version: 2, tools: [blocked('mcp:a/b')] }))
  says.environmentId = staging
  const moved = { environment_id: staging, version: 2 }
  const changed = page({ ...moved, since: 2 })
  expect(entries(await follow(2, changed, page({ ...moved, tools: [pinned('mcp:c/d', 'h9')] })))).toEqual([
    'mcp:c/d h9',
  ])
  says.environmentId = production
  expect(await follow(undefined, page({ version: 0, at: clock + 1 }))).toMatchObject({ version: 0 })
})

it('has its pins after a restart, and ignores a file that somebody changed', async () => {
  const { start, file } = await startWorld()
  const { pins, follow } = await start()
  await follow(1, page({ version: 1, tools: [blocked('mcp:a/b'), pinned('mcp:a/c', 'h1', 'h2')] }))
  await pins.close()
  const { pins: again } = await start()
  expect(again.current).toEqual(pins.current)
  await writeFile(file, (await readFile(file, 'utf8')).replace('true', 'false'))
  expect((await start(true)).pins.current).toBe('unknown')
})

it('starts with the newest pins of its environment in any seat', async () => {
  const { says, start, folder } = await startWorld()
  const seats = await Promise.all(['1', '2', '3'].map((name) => mkdtemp(join(folder, name))))
  const [first, second, third] = seats as [string, string, string]
  const wrote = async (seat: string, written: PageOptions) => {
    const { pins, follow } = await start(false, { seat })
    await follow(written.version, page(written))
    await pins.close()
  }
  await wrote(first, { version: 9, at: 20, tools: [pinned('mcp:a/b', 'h1')] })
  await wrote(second, { version: 2, at: 30, tools: [blocked('mcp:a/b')] })
  says.environmentId = staging
  await wrote(third, { version: 5, at: 40, environment_id: staging, tools: [blocked('mcp:a/c')] })
  const heldIn = async (seat: string, ...otherSeats: string[]) => (await start(true, { seat, otherSeats })).pins.current
  says.environmentId = production
  for (const [seat, ...others] of [
    [first, second, third],
    [second, first, third],
  ] as const)
    expect(entries(await heldIn(seat, ...others))).toEqual(['mcp:a/b blocked'])
  says.environmentId = staging
  expect(entries(await heldIn(first, second, third))).toEqual(['mcp:a/c blocked'])
})
