// May take over 10 s: starts the server with one key after the other.
import { generateKeyPairSync, sign } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprint } from '@mandate/edge/carry/signing-keys'
import { passes } from '@mandate/edge/guard/guard'
import { canonicalJson } from '@mandate/proofs/canonical'
import { successionText } from '@mandate/proofs/key-succession'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchMandate, mandate, mandateJson, type RunningMandate } from '../../mandate-process.ts'
import { type ControlPlane, rule, startControlPlane, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor, stateFolder } from '../edge-in-test.ts'
import { type Json, type Middle, startMiddle } from '../middle.ts'

let plane: ControlPlane
let server: RunningMandate

beforeAll(async () => {
  plane = await startControlPlane()
  server = plane.server
})
afterAll(async () => {
  await server.kill()
  await plane.stop()
})

const call = { tool: 'mcp:files/read', args: {} }
const verdictOf = (edge: EdgeInTest, agent: TestAgent) => edge.guardFor(agent.id).decide(call)
const newAgent = () => plane.newAgent({ default_effect: 'allow' })
const forbid = (agent: TestAgent) =>
  plane.ask('POST', `/policies/${agent.policyId}/rules`, rule('deny', ['mcp:files/*']))
const settings = () => ({ DATA_DIR: plane.server.dataDir, PORT: new URL(plane.server.url).port })

async function restartAfter(work: () => Promise<unknown>): Promise<void> {
  await server.stop()
  await work()
  server = await launchMandate({ ...settings(), MANDATE_HEARTBEAT_SECONDS: '1', MANDATE_AUTH_THROTTLE: 'off' })
}

describe('a signing key that the operator rotated', () => {
  it('is trusted by edges that trust the previous key, and the trail stays valid', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    expect(passes(await verdictOf(edge, agent))).toBe(true)
    const rotate = () => mandateJson(['operator', 'rotate-signing-key'], settings())
    await restartAfter(async () => {
      const first = await rotate()
      expect(await rotate()).toMatchObject({ previous_kid: first.kid })
    })
    await forbid(agent)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', policyVersion: 2 })
    expect(edge.log.filter(({ msg }) => msg === 'profile refused')).toEqual([])

    const exported = join(await stateFolder(), 'audit.ndjson')
    const headers = { authorization: `Bearer ${plane.credential}` }
    await writeFile(exported, await (await fetch(`${plane.server.url}/api/v1/audit/export`, { headers })).text())
    const verified = await mandate([
      'audit',
      'verify',
      exported,
      '--key',
      `${plane.server.url}/api/v1/edge/signing-key`,
    ])
    expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true })

    await edge.close()
    const stateDir = edge.stateDir
    const { keys } = await plane.ask('GET', '/edge/signing-key')
    const trusted = async () => {
      const file = (await readdir(stateDir)).find((name) => name.startsWith('signing-keys-')) as string
      return JSON.parse(JSON.parse(await readFile(join(stateDir, file), 'utf8')).text).keys
    }
    expect(await trusted()).toHaveLength(3)
    const told = { MANDATE_EDGE_SIGNING_KEY_SHA256: fingerprint(keys[0].public_key_pem) ?? '' }
    await (await edgeFor(plane.server.url, agent, { stateDir, settings: told })).close()
    expect(await trusted()).toEqual([{ public_key_pem: keys[0].public_key_pem }])

    await restartAfter(async () => {
      const alone = await edgeFor(plane.server.url, agent, { stateDir })
      expect(await verdictOf(alone, agent)).toMatchObject({ verdict: 'deny', policyVersion: 2 })
      await alone.close()
    })
  })
})

describe('a key that no trusted key signed', () => {
  const enemy = generateKeyPairSync('ed25519')
  const enemyPem = enemy.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const signedByEnemy = (text: string) => sign(null, Buffer.from(text), enemy.privateKey).toString('base64')

  async function allowingEnemy(served: (keys: Json[], pinned: string) => Json[]): Promise<[Middle, TestAgent]> {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    middle.tamper = ({ path }, answer) => {
      if (path === '/edge/signing-key') {
        const { keys } = answer.body
        return { ...answer, body: { keys: served(keys, keys[0].public_key_pem) } }
      }
      if (!path.endsWith('/mission-profile') || !answer.body) return answer
      const { signature: _, ...profile } = answer.body
      const open = { ...profile, policy: { ...profile.policy, default_effect: 'allow', rules: [] } }
      return { ...answer, body: { ...open, signature: signedByEnemy(canonicalJson(open)) } }
    }
    return [middle, agent]
  }

  const enemyKey = { kid: 'enemy', public_key_pem: enemyPem }
  it.each([
    ['with its own signature', (pinned: string) => signedByEnemy(successionText(pinned, enemyPem))],
    ['with a signature for another key', (pinned: string) => signedByEnemy(successionText(enemyPem, pinned))],
    ['without a signature', () => ''],
  ])('is not trusted: %s', async (_, wordOf) => {
    const [middle, agent] = await allowingEnemy((keys, pinned) => [
      enemyKey,
      { ...keys[0], successor: { kid: 'enemy', signature: wordOf(pinned) } },
    ])
    const first = await edgeFor(plane.server.url, agent)
    await forbid(agent)
    await first.close()
    const edge = await edgeFor(middle.url, agent, { stateDir: first.stateDir })
    expect(await verdictOf(edge, agent)).toMatchObject({ policyVersion: 1 })
    const refusal = edge.log.find(({ msg }) => msg === 'profile refused')
    expect(refusal?.reason).toContain('signs with another key than the one this edge trusts')
  })
})
