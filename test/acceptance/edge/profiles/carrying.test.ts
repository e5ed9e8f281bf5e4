// May take over 10 s: a real edge counts windows of real time, and sends what it counted.
import { generateKeyPairSync, sign } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { passes } from '@mandate/edge/guard/guard'
import { canonicalJson } from '@mandate/proofs/canonical'
import { beforeAll, describe, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor, stateFolder } from '../edge-in-test.ts'
import { type Json, type Middle, type Passing, startMiddle } from '../middle.ts'
import { missedMs } from '../served-edge.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const read = { tool: 'mcp:files/read', args: { path: '/etc/hosts' } }
const write = { tool: 'mcp:files/write', args: { path: '/etc/hosts' } }
const readers = { rules: [rule('allow', ['mcp:files/read'], { priority: 1 })] }
const soon = { timeout: 60_000 }
const isProfile = ({ path }: Passing) => path.endsWith('/mission-profile')
const newAgent = () => plane.newAgent(readers)
const verdictOf = (edge: EdgeInTest, agent: TestAgent, call = read) => edge.guardFor(agent.id).decide(call)
const forbidReading = (agent: TestAgent) =>
  plane.ask('POST', `/policies/${agent.policyId}/rules`, rule('deny', ['mcp:files/*'], { name: 'closed' }))

/** Saves a new policy version and waits for the edge's next heartbeat. */
async function saveAndBeat(edge: EdgeInTest, agent: TestAgent): Promise<void> {
  await forbidReading(agent)
  await edge.refresh()
}

describe('an edge and its control plane', () => {
  it('decides by the saved policy, and uses a new version from the next heartbeat on', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow', enforced: true, policyVersion: 1 })
    expect(await verdictOf(edge, agent, write)).toMatchObject({ verdict: 'deny', rule: null })
    await saveAndBeat(edge, agent)
    const decision = await verdictOf(edge, agent)
    expect(decision).toMatchObject({ verdict: 'deny', policyVersion: 2, rule: { name: 'closed' } })
  })

  it('reports the running version at once, without waiting for the next heartbeat', async () => {
    const agent = await newAgent()
    await edgeFor(plane.server.url, agent)
    await forbidReading(agent)
    const running = async () => (await plane.ask('GET', `/agents/${agent.id}`)).running_policy?.version
    await expect.poll(running, soon).toBe(2)
  })

  it('changes the policy without dropping a call', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    let saved = false
    const versions: (number | null)[] = []
    const calling = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!saved) versions.push((await verdictOf(edge, agent)).policyVersion)
      }),
    )
    await saveAndBeat(edge, agent)
    saved = true
    await calling
    expect(versions.length).toBeGreaterThan(10)
    expect(versions.toSorted()).toEqual(versions)
    expect(new Set(versions).has(null)).toBe(false)
  })

  it('notifies guards of a change, and shows only tools that some call may use', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const guard = edge.guardFor(agent.id)
    let changes = 0
    const end = guard.onPolicyChange(() => changes++)
    expect([guard.mayShowPrompt('mcp:files/read', null), guard.mayShowPrompt('mcp:files/write', null)]).toEqual([
      true,
      false,
    ])
    expect([guard.mayShowUris('mcp:files/read', 'file:///'), guard.mayShowUris('mcp:files/write', '')]).toEqual([
      true,
      false,
    ])
    await saveAndBeat(edge, agent)
    expect([guard.mayShowPrompt('mcp:files/read', null), changes]).toEqual([false, 1])
    expect(guard.mayShowUris('mcp:files/read', 'file:///')).toBe(false)
    end()
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    await edge.refresh()
    expect(changes).toBe(1)
  })

  it('denies every call of a suspended agent until the agent is resumed', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', enforced: true, policyVersion: null })
    await plane.ask('POST', `/agents/${agent.id}/resume`)
    await edge.refresh()
    expect(passes(await verdictOf(edge, agent))).toBe(true)
  })

  it('returns the verdict in monitor mode without stopping the call', async () => {
    const agent = await plane.newAgent({ ...readers, override_mode: 'monitor' })
    const edge = await edgeFor(plane.server.url, agent)
    const decision = await verdictOf(edge, agent, write)
    expect([decision.verdict, passes(decision)]).toEqual(['deny', true])
    expect(edge.guardFor(agent.id).mayShowPrompt(write.tool, null)).toBe(true)
  })

  it('denies everything once its key is revoked, also after a restart', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    await plane.ask('POST', `/agents/${agent.id}/rotate-key`)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('key') })
    await edge.close()
    const again = await edgeFor(plane.server.url, agent, { stateDir: edge.stateDir })
    expect(passes(await verdictOf(again, agent))).toBe(false)
  })

  it('denies everything for an agent that the control plane does not assign to the edge', async () => {
    const [agent, other] = [await newAgent(), await newAgent()]
    const edge = await edgeFor(plane.server.url, { ...other, key: agent.key })
    expect(await verdictOf(edge, other)).toMatchObject({
      verdict: 'deny',
      reason: "the control plane does not let this edge's key act for this agent: check the agent's id and environment",
    })
  })
})

describe('an unreachable control plane', () => {
  it.each([
    ['gone', (middle: Middle) => (middle.cut = true)],
    ['answering with errors', (middle: Middle) => (middle.tamper = () => ({ status: 503, body: { error: 'no' } }))],
    ['answering with an invalid body', (middle: Middle) => (middle.tamper = () => ({ status: 200, body: [] }))],
  ])(
    '%s: the current policy applies until too many heartbeats were missed, then everything is denied',
    async (_, befall) => {
      const agent = await newAgent()
      const middle = await startMiddle(plane.server.url)
      const edge = await edgeFor(middle.url, agent)
      befall(middle)
      await edge.refresh()
      expect(passes(await verdictOf(edge, agent))).toBe(true)
      edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
      const decision = await verdictOf(edge, agent)
      expect(decision).toMatchObject({
        verdict: 'deny',
        enforced: true,
        reason: expect.stringContaining('60 heartbeats'),
      })
      expect(edge.guardFor(agent.id).mayShowPrompt(read.tool, null)).toBe(false)
      await expect.poll(() => edge.log.some(({ msg }) => String(msg).startsWith('failing closed')), soon).toBe(true)
    },
  )

  it('counts as unreachable if it responds too slowly, and calls do not wait for it', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    edge.limitHeartbeats(100)
    middle.hang = true
    const beating = edge.refresh()
    expect(passes(await verdictOf(edge, agent))).toBe(true)
    await beating
    edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
    expect(passes(await verdictOf(edge, agent))).toBe(false)
  })

  it('is obeyed again from its first response on', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    middle.cut = true
    edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
    expect(passes(await verdictOf(edge, agent))).toBe(false)
    middle.cut = false
    await edge.refresh()
    expect(passes(await verdictOf(edge, agent))).toBe(true)
  })

  it('also stops a monitored agent once its policy has lapsed, because the decision has no policy to name', async () => {
    const agent = await plane.newAgent({ ...readers, override_mode: 'monitor' })
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    middle.cut = true
    edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
    expect(passes(await verdictOf(edge, agent, write))).toBe(false)
  })

  it('a policy that is configured to be kept stays in force, and no other policy does', async () => {
    const [kept, other] = [await newAgent(), await newAgent()]
    const middle = await startMiddle(plane.server.url)
    const settings = { MANDATE_EDGE_KEEP_WHEN_AWAY: kept.policyId }
    const edges = [
      await edgeFor(middle.url, kept, { settings }),
      await edgeFor(middle.url, other, { settings }),
    ] as const
    middle.cut = true
    for (const edge of edges) edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
    expect(passes(await verdictOf(edges[0], kept))).toBe(true)
    expect(passes(await verdictOf(edges[0], kept, write))).toBe(false)
    expect(passes(await verdictOf(edges[1], other))).toBe(false)
  })

  it('a clock that jumps back does not extend a policy, and a clock that jumps ahead only closes', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    middle.cut = true
    edge.advance({ wallMs: -86_400_000, monotonicMs: missedMs })
    expect(passes(await verdictOf(edge, agent))).toBe(false)
    const another = await edgeFor(plane.server.url, agent)
    middle.cut = true
    another.advance({ wallMs: 86_400_000 })
    expect(passes(await verdictOf(another, agent))).toBe(false)
    await another.refresh()
    expect(passes(await verdictOf(another, agent))).toBe(true)
  })
})

describe('a restart without a control plane', () => {
  async function restarted(options: {
    clockAheadMs?: number
    settings?: Record<string, string>
    between?: (stateDir: string, id: string) => Promise<void>
  }) {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    await edge.close()
    middle.cut = true
    await options.between?.(edge.stateDir, agent.id)
    const again = await edgeFor(middle.url, agent, { stateDir: edge.stateDir, ...options })
    return { decision: await verdictOf(again, agent), forbidden: await verdictOf(again, agent, write), again }
  }
  const fileOf = (stateDir: string, id: string) => join(stateDir, 'seats', '1', 'profiles', `${id}.json`)

  it('decides by the profile on disk', async () => {
    const { decision, forbidden } = await restarted({})
    expect([passes(decision), passes(forbidden)]).toEqual([true, false])
  })

  it('denies everything if the profile was confirmed too long ago or in the future', async () => {
    for (const clockAheadMs of [missedMs, 86_400_000, -86_400_000]) {
      expect(passes((await restarted({ clockAheadMs })).decision)).toBe(false)
    }
  })

  it('denies everything when the profile on disk was changed or replaced', async () => {
    const edits: ((text: string) => string)[] = [
      (text) => text.replace('\\"deny\\"', '\\"allow\\"'),
      () => '{}',
      () => 'invalid JSON',
      (text) => text.replace(/\\"signature\\":\\"[^"\\]*\\"/, '\\"signature\\":\\"\\"'),
      (text) => JSON.parse(text).text,
    ]
    for (const edit of edits) {
      const { decision, again } = await restarted({
        between: async (stateDir, id) => {
          const file = fileOf(stateDir, id)
          await writeFile(file, edit(await readFile(file, 'utf8')))
        },
      })
      expect(decision).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('no policy') })
      again.close()
    }
  })

  it('denies everything if the confirmation record was changed, copied from another edge, or deleted', async () => {
    const edits: ((text: string, file: string) => Promise<void>)[] = [
      (text, file) => writeFile(file, text.replace(/(\\"at\\":)\d+/, `$1${Date.now() + missedMs}`)),
      (text, file) => writeFile(file, JSON.parse(text).text),
      (_text, file) => rm(file),
    ]
    for (const edit of edits) {
      const { decision } = await restarted({
        clockAheadMs: missedMs,
        settings: { MANDATE_EDGE_KEEP_WHEN_AWAY: edit === edits[0] ? '' : 'all' },
        between: async (stateDir) => {
          const seat = join(stateDir, 'seats', '1')
          const name = (await readdir(seat)).find((file) => file.startsWith('instance-')) as string
          await edit(await readFile(join(seat, name), 'utf8'), join(seat, name))
        },
      })
      expect(passes(decision)).toBe(false)
    }
  })

  it('denies everything if an older profile replaces the confirmed profile', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const settings = { MANDATE_EDGE_KEEP_WHEN_AWAY: 'all' }
    const edge = await edgeFor(middle.url, agent, { settings })
    const older = await readFile(fileOf(edge.stateDir, agent.id))
    await plane.ask('POST', `/agents/${agent.id}/suspend`, { reason: 'test' })
    await edge.refresh()
    await edge.refresh()
    await edge.close()
    middle.cut = true
    await writeFile(fileOf(edge.stateDir, agent.id), older)
    const again = await edgeFor(middle.url, agent, { stateDir: edge.stateDir, settings })
    expect(passes(await verdictOf(again, agent))).toBe(false)
  })

  it('denies everything, even by a policy configured to be kept, if the control plane refused the key before', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const settings = { MANDATE_EDGE_KEEP_WHEN_AWAY: 'all' }
    const edge = await edgeFor(middle.url, agent, { settings })
    await plane.ask('POST', `/agents/${agent.id}/rotate-key`)
    await edge.refresh()
    await edge.close()
    middle.cut = true
    const again = await edgeFor(middle.url, agent, { stateDir: edge.stateDir, settings })
    expect(passes(await verdictOf(again, agent))).toBe(false)
  })

  it('makes its state readable only by its user: folders 0700, files 0600', async () => {
    const agent = await newAgent()
    const { stateDir } = await edgeFor(plane.server.url, agent)
    const modeOf = async (...path: string[]) => ((await stat(join(stateDir, ...path))).mode & 0o777).toString(8)
    for (const folder of [[], ['seats', '1'], ['seats', '1', 'profiles'], ['seats', '1', 'spool'], ['tokens']]) {
      expect(await modeOf(...folder), folder.join('/')).toBe('700')
    }
    const files = (await readdir(stateDir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    const paths = files.map(({ parentPath, name }) => relative(stateDir, join(parentPath, name)))
    for (const kept of [/^signing-keys-/, /^seats\/1\/instance-/, /^seats\/1\/lock$/, /^tokens\//]) {
      expect(paths).toContainEqual(expect.stringMatching(kept))
    }
    for (const path of paths) expect(await modeOf(path), path).toBe('600')
  })

  it('continues the heartbeat sequence, so that the control plane does not ignore a heartbeat as old', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const beats: { instance_id: string; seq: number }[] = []
    middle.tamper = ({ path, body }, answer) => {
      if (path === '/edge/heartbeat') beats.push(body)
      return answer
    }
    const edge = await edgeFor(middle.url, agent)
    await edge.close()
    const [before] = beats.splice(0).reverse()
    await (await edgeFor(middle.url, agent, { stateDir: edge.stateDir })).close()
    expect(beats[0]?.instance_id).toBe(before?.instance_id)
    expect(beats[0]?.seq).toBeGreaterThan(before?.seq ?? 0)
  })
})

describe('a control plane that lies', () => {
  const enemy = generateKeyPairSync('ed25519')
  const enemyPem = enemy.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const signedByEnemy = ({ signature: _, ...profile }: Record<string, unknown>) => ({
    ...profile,
    signature: sign(null, Buffer.from(canonicalJson(profile)), enemy.privateKey).toString('base64'),
  })
  const open = (profile: Json) => ({ ...profile, policy: { ...profile.policy, default_effect: 'allow', rules: [] } })

  it.each([
    ['a profile with a bad signature', open, 'its signature is not valid'],
    ['a profile signed by another key', (profile: Json) => signedByEnemy(open(profile)), 'signature is not valid'],
    ['a profile without a signature', ({ signature: _, ...rest }: Json) => open(rest), 'not a mission profile'],
    ['an invalid profile', () => ({ policy: 'allow' }), 'not a mission profile'],
    ['a raised sequence number', (profile: Json) => ({ ...profile, profile_seq: 99 }), 'its signature is not valid'],
  ])('%s is refused, logged, and confirms nothing', async (_, forge, why) => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    middle.tamper = (request, answer) =>
      isProfile(request) && answer.body ? { ...answer, body: forge(answer.body) } : answer
    await saveAndBeat(edge, agent)
    expect(await verdictOf(edge, agent, write)).toMatchObject({ verdict: 'deny', policyVersion: 1 })
    const refusal = edge.log.find(({ msg }) => msg === 'profile refused')
    expect(refusal).toMatchObject({ level: 50, reason: expect.stringContaining(why) })
    edge.advance({ wallMs: missedMs, monotonicMs: missedMs })
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: expect.stringContaining(why) })
    middle.tamper = (_, answer) => answer
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ policyVersion: 2 })
  })

  it.each([false, true])('refuses an older profile (restart: %s)', async (restart) => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    let older: Json
    middle.tamper = (request, answer) => {
      if (isProfile(request) && answer.status === 200) older ??= answer.body
      return answer
    }
    let edge = await edgeFor(middle.url, agent)
    await saveAndBeat(edge, agent)
    expect(passes(await verdictOf(edge, agent))).toBe(false)
    middle.tamper = (request, answer) => {
      if (isProfile(request)) return { status: 200, body: older }
      if (request.path !== '/edge/heartbeat') return answer
      const agents = [{ ...answer.body.agents[0], profile_hash: older.profile_hash }]
      return { ...answer, body: { ...answer.body, agents } }
    }
    if (restart) {
      await edge.close()
      edge = await edgeFor(middle.url, agent, { stateDir: edge.stateDir })
    } else await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', policyVersion: 2 })
    expect(edge.log.find(({ msg }) => msg === 'profile refused')).toMatchObject({
      reason: expect.stringContaining('older than number 2'),
    })
  })

  it("refuses another agent's profile, although its signature is valid", async () => {
    const [agent, other] = [await newAgent(), await plane.newAgent({ default_effect: 'allow' })]
    const middle = await startMiddle(plane.server.url)
    const path = `/edge/agents/${other.id}/mission-profile`
    const headers = { authorization: `Bearer ${other.key}` }
    const foreign = await (await fetch(`${plane.server.url}/api/v1${path}`, { headers })).json()
    middle.tamper = (request, answer) => (isProfile(request) ? { status: 200, body: foreign } : answer)
    const edge = await edgeFor(middle.url, agent)
    expect(passes(await verdictOf(edge, agent))).toBe(false)
    expect(edge.log.find(({ msg }) => msg === 'profile refused')?.reason).toContain('another agent')
  })

  it('refuses a changed signing key until the edge is configured with it', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const first = await edgeFor(middle.url, agent)
    await first.close()
    middle.tamper = (request, answer) => {
      if (request.path === '/edge/signing-key')
        return { status: 200, body: { keys: [{ kid: 'new', public_key_pem: enemyPem }] } }
      return isProfile(request) && answer.body ? { ...answer, body: signedByEnemy(open(answer.body)) } : answer
    }
    await forbidReading(agent)
    const edge = await edgeFor(middle.url, agent, { stateDir: first.stateDir })
    expect(await verdictOf(edge, agent, write)).toMatchObject({ verdict: 'deny', policyVersion: 1 })
    const reason = String(edge.log.find(({ msg }) => msg === 'profile refused')?.reason)
    const told = /MANDATE_EDGE_SIGNING_KEY_SHA256=([0-9a-f]{64})/.exec(reason)?.[1] as string
    await edge.close()
    const settings = { MANDATE_EDGE_SIGNING_KEY_SHA256: told }
    const again = await edgeFor(middle.url, agent, { stateDir: first.stateDir, settings })
    expect(await verdictOf(again, agent, write)).toMatchObject({ verdict: 'allow', policyVersion: 2 })
  })

  it('a configured signing key is the only trusted key, from the first start on', async () => {
    const agent = await newAgent()
    const settings = { MANDATE_EDGE_SIGNING_KEY_SHA256: 'a'.repeat(64) }
    const edge = await edgeFor(plane.server.url, agent, { settings, stateDir: await stateFolder() })
    expect(passes(await verdictOf(edge, agent))).toBe(false)
  })

  it('does not send the credential to the target of a redirect', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    middle.tamper = () => ({ status: 307, body: undefined })
    const edge = await edgeFor(middle.url, agent)
    expect(passes(await verdictOf(edge, agent))).toBe(false)
  })
})
