import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '@mandate/proofs/canonical'
import { delegationToken } from '@mandate/proofs/delegation-token'
import { describe, expect, it, vi } from 'vitest'
import { AgentRequests, TooManyRequests } from '../../src/control-plane/agent-requests.ts'
import { type ControlPlane, ControlPlaneRefused } from '../../src/control-plane/control-plane.ts'
import { delegateOn } from '../../src/delegations/delegate-on.ts'
import { all, profileOf, rulesFor, world } from '../decide/decider-world.ts'
import { at, call, document, hourMs, ids, links, signed, startWorld, stranger, tokenOf } from './delegation-world.ts'

async function started() {
  const world = await startWorld()
  const { ended, delegations } = await world.start()
  const refusal = async (token: string, changed: object = {}) =>
    delegations.refusalOf(await delegations.verify(token), { ...call, ...changed })
  return { ...world, ended, delegations, refusal }
}

describe('a token', () => {
  it('allows the tools that every delegation of the chain allows', async () => {
    const { refusal } = await started()
    const token = tokenOf()
    expect(await refusal(token)).toBeNull()
    expect(await refusal(token, { tools: ['mcp:files/list'] })).toBeNull()
    expect(await refusal(token, { tools: ['mcp:files/write'] })).toBe('the delegation does not allow this tool')
    expect(await refusal(token, { tools: ['mcp:files/read', 'mcp:other/read'] })).toContain('does not allow')
    // A child that is wider than its parent does not count, even if the control plane signed it.
    const wider = tokenOf({
      links: [links.link(ids.first, ids.orchestrator, ['mcp:files/list']), links.link(ids.second, ids.agent, ['*'])],
    })
    expect(await refusal(wider)).toContain('does not allow')
    expect(await refusal(wider, { tools: ['mcp:files/list'] })).toBeNull()
  })

  it.each<[string, () => string]>([
    ['a key that the edge does not trust', () => tokenOf({}, stranger)],
    ['no signature', () => delegationToken(document())],
    ['another purpose', () => tokenOf({ purpose: 'ended_delegations' })],
    ['a field more', () => tokenOf({ more: 1 })],
    ['an id that is not that of the last delegation', () => tokenOf({ id: ids.first })],
    ['no delegation', () => tokenOf({ links: [] })],
    ['more than five delegations', () => tokenOf({ links: Array.from({ length: 6 }, () => document().links[1]) })],
    [
      'a pattern that this edge does not know',
      () => tokenOf({ links: [links.link(ids.second, ids.agent, ['new:x/y'])] }),
    ],
    ['another prefix', () => tokenOf().replace('md_', 'mk_')],
    ['no content', () => 'md_'],
    ['a list', () => `md_${Buffer.from('[]').toString('base64url')}`],
    ['another spelling', () => `md_${Buffer.from(JSON.stringify(signed(document()), null, 1)).toString('base64url')}`],
    ['a padded end', () => `${tokenOf()}=`],
    ['too many characters', () => `md_${'A'.repeat(300_000)}`],
  ])('is no delegation with %s', async (_what, token) => {
    const { refusal } = await started()
    expect(await refusal(token())).toBe('the token is not a delegation that the control plane signed')
  })

  it('is no delegation after one character changed, at any place', async () => {
    const { refusal, pass } = await started()
    const token = tokenOf()
    for (let place = 0; place < token.length; place += 23) {
      const changed = token[place] === 'A' ? 'B' : 'A'
      expect(await refusal(token.slice(0, place) + changed + token.slice(place + 1)), String(place)).not.toBeNull()
      pass(1)
    }
  })

  it.each<[string, (signature: string) => string]>([
    ['white space', (signature) => `${signature} `],
    ['other characters', (signature) => '!'.repeat(100_000) + signature],
    ['no padding', (signature) => signature.replace('==', '')],
    [
      'spare bits',
      (signature) => signature.replace(/.==$/, ([last = '']) => `${String.fromCharCode(last.charCodeAt(0) + 1)}==`),
    ],
  ])('is no delegation with %s in the signature, so a document has one token', async (_what, change) => {
    const { refusal } = await started()
    const good = signed(document())
    const token = delegationToken({ ...good, signature: change(String(good.signature)) })
    expect(await refusal(token)).toBe('the token is not a delegation that the control plane signed')
  })

  it('is a delegation also if another token came first and its key is still being fetched', async () => {
    const { refusal } = await started()
    const tokens = [1, 2, 3].map((n) => tokenOf({ issued_at: at(n) }))
    expect(await Promise.all(tokens.map((token) => refusal(token)))).toEqual([null, null, null])
  })

  it('is kept in memory after it was verified; many long ones are not all kept', async () => {
    const { delegations, keys } = await started()
    const patterns = Array.from({ length: 100 }, (_, n) => `resource:${'a'.repeat(64)}/${String(n).padEnd(64, 'a')}`)
    const long = Array.from({ length: 50 }, (_, n) =>
      tokenOf({ links: Array(5).fill(links.link(ids.second, ids.agent, patterns)), issued_at: at(n) }),
    )
    for (const token of long) expect(await delegations.verify(token)).not.toHaveProperty('fault')
    const checks = vi.spyOn(keys, 'signedByKnown')
    await delegations.verify(long.at(-1) as string)
    expect(checks).toHaveBeenCalledTimes(0)
    await delegations.verify(long[0] as string)
    expect(checks).toHaveBeenCalledTimes(1)
  })

  it('asks the control plane for keys at most twice a minute, however many bad tokens come', async () => {
    const { refusal, plane, pass } = await started()
    await refusal(tokenOf())
    const before = plane.asked.length
    for (let n = 0; n < 50; n++) await refusal(tokenOf({ issued_at: at(n) }, stranger))
    expect(plane.asked.length - before).toBeLessThanOrEqual(1)
    pass(31_000)
    await refusal(tokenOf({}, stranger))
    expect(plane.asked.slice(before).filter((path) => path === '/edge/signing-key').length).toBeLessThanOrEqual(2)
  })

  it.each<[string, object]>([
    ['agent', { agentId: ids.orchestrator }],
    ['tenant', { tenantId: ids.user }],
    ['tenant that the profile does not name', { tenantId: null }],
    ['environment', { environmentId: ids.user }],
  ])('of another %s is refused', async (_what, changed) => {
    const { refusal } = await started()
    expect(await refusal(tokenOf(), changed)).toBe('the delegation is for another agent')
  })
})

describe('ended delegations', () => {
  it('are refused as soon as the version is known, also if one above has ended', async () => {
    for (const id of [ids.first, ids.second]) {
      const { refusal, end, ended, beat } = await started()
      expect(await refusal(tokenOf())).toBeNull()
      end(id)
      beat(ended)
      expect(await refusal(tokenOf())).toBe('the delegation, or one above it, has ended')
    }
  })

  it('does not let a call pass between the news and the list', async () => {
    const { delegations, end, ended, plane } = await started()
    const presented = await delegations.verify(tokenOf())
    expect(delegations.refusalOf(presented, call)).toBeNull()
    end(ids.user)
    ended.follow({ version: plane.list.version })
    expect(delegations.refusalOf(presented, call)).toContain('does not know')
    await ended.settled()
    expect(delegations.refusalOf(presented, call)).toBeNull()
  })

  it('fetches only what ended since, and forgets what has expired', async () => {
    const { ended, end, beat, plane, pass } = await started()
    beat(ended)
    await ended.settled()
    end(ids.first)
    beat(ended)
    await ended.settled()
    expect(plane.asked).toEqual(['/edge/delegations/ended', '/edge/signing-key', '/edge/delegations/ended?since=1'])
    expect([...(ended.current()?.set.ended.keys() ?? [])]).toEqual([ids.first])
    pass(4 * hourMs)
    end(ids.second)
    beat(ended)
    await ended.settled()
    expect([...(ended.current()?.set.ended.keys() ?? [])]).toEqual([])
  })

  it.each<[string, (body: Record<string, unknown>) => unknown]>([
    ['forged', (body) => ({ ...body, ended: [], version: 9 })],
    ['signed by another key', ({ signature: _, ...body }) => signed(body, stranger)],
    ['of another tenant', ({ signature: _, ...body }) => signed({ ...body, tenant_id: ids.user })],
    ['a signed document of another kind', ({ signature: _, ...body }) => signed({ ...body, purpose: 'delegation' })],
    ['missing', () => ({})],
  ])('denies every delegation while the list is %s', async (_what, answer) => {
    const { refusal, plane } = await started()
    plane.answer = answer
    expect(await refusal(tokenOf())).toContain('does not know which delegations have ended')
  })

  it('denies every delegation while the list was never fetched', async () => {
    const { refusal, plane } = await started()
    await refusal(tokenOf())
    const fresh = await startWorld()
    const { delegations } = await fresh.start()
    // The key is known, because profiles were verified before.
    await delegations.verify(tokenOf({ issued_at: at(1) }))
    expect(plane.asked.length).toBeGreaterThan(0)
    fresh.plane.isAway = true
    const again = await fresh.start()
    fresh.pass(20 * 60_000)
    const presented = await again.delegations.verify(tokenOf())
    expect(again.delegations.refusalOf(presented, call)).toContain('does not know which delegations have ended')
  })

  it('counts for as long as heartbeats confirm it, and not longer', async () => {
    const { refusal, pass, beat, ended, plane } = await started()
    expect(await refusal(tokenOf())).toBeNull()
    for (let n = 0; n < 5; n++) {
      pass(100_000)
      beat(ended)
      expect(await refusal(tokenOf())).toBeNull()
    }
    plane.isAway = true
    pass(149_000)
    expect(await refusal(tokenOf())).toBeNull()
    pass(2_000)
    expect(await refusal(tokenOf())).toContain('no current list')
  })

  it('survives a restart without the control plane, while it is not too old', async () => {
    const { refusal, end, ended, beat, plane, start, pass } = await started()
    await refusal(tokenOf())
    end(ids.first)
    beat(ended)
    await ended.settled()
    plane.isAway = true
    const again = (await start()).delegations
    const kept = tokenOf({ links: [links.link(ids.second, ids.agent, ['*'])] })
    expect(again.refusalOf(await again.verify(tokenOf()), call)).toContain('has ended')
    expect(again.refusalOf(await again.verify(kept), call)).toBeNull()
    pass(151_000)
    const later = (await start()).delegations
    expect(later.refusalOf(await later.verify(kept), call)).toContain('no current list')
  })
})

describe('time', () => {
  it('is that of the control plane: a clock an hour off neither extends nor shortens a delegation', async () => {
    for (const offMs of [-hourMs, hourMs, -30 * hourMs, 30 * hourMs]) {
      const { refusal, machine, pass, beat, ended, plane } = await started()
      machine.wallMs = plane.nowMs + offMs
      expect(await refusal(tokenOf())).toBeNull()
      pass(hourMs - 1_000)
      beat(ended)
      expect(await refusal(tokenOf())).toBeNull()
      pass(1_000)
      expect(await refusal(tokenOf())).toBe('the delegation has expired')
    }
  })

  it('does not stand still when the clock is set back', async () => {
    const { refusal, machine, plane, pass, beat, ended } = await started()
    expect(await refusal(tokenOf())).toBeNull()
    pass(hourMs - 1_000)
    beat(ended)
    machine.wallMs -= hourMs
    pass(1_000)
    expect(await refusal(tokenOf())).toBe('the delegation has expired')
    expect(plane.isAway).toBe(false)
  })

  it('denies after a restart if the clock was set back while the edge was down', async () => {
    const { refusal, machine, plane, start } = await started()
    machine.wallMs = 10 * hourMs
    await refusal(tokenOf())
    plane.isAway = true
    machine.wallMs -= hourMs
    const { delegations } = await start()
    expect(delegations.refusalOf(await delegations.verify(tokenOf()), call)).toContain('no current list')
  })

  it('expires with the delegation of the chain that expires first', async () => {
    const { refusal, pass, beat, ended } = await started()
    const token = tokenOf({
      links: [
        links.link(ids.first, ids.orchestrator, ['*'], at(1_000)),
        links.link(ids.second, ids.agent, ['*'], at(hourMs)),
      ],
    })
    expect(await refusal(token)).toBeNull()
    pass(1_000)
    beat(ended)
    expect(await refusal(token)).toBe('the delegation has expired')
  })
})

const inEnvironment = { tenant_id: ids.tenant, environment: { id: ids.environment, name: 'E', slug: 'e' } }

describe('a decision', () => {
  const toCall = { tool: 'mcp:files/read_text', args: {} }
  const chain = [
    { type: 'user', id: ids.user, name: 'Ana' },
    { type: 'agent', id: ids.orchestrator, name: 'agent 21' },
    { type: 'agent', id: ids.agent, name: 'agent 11' },
  ]
  const deciding = async (policy: Parameters<typeof profileOf>[0], mode = 'enforce') => {
    const edge = await started()
    const profile = await profileOf(policy, mode, inEnvironment)
    return { ...edge, ...(await world(profile, edge.clock, { delegations: edge.delegations })) }
  }

  it('needs both the policy and the delegation, and records the chain', async () => {
    const { decider, records, spool } = await deciding(rulesFor({ 'mcp:files/list': 'deny' }))
    const append = vi.spyOn(spool, 'append')
    const delegation = tokenOf()
    const verdicts = []
    for (const tool of ['mcp:files/read_text', 'mcp:files/list', 'mcp:files/write'])
      verdicts.push(await decider.decide({ ...toCall, tool, delegation }))
    expect(verdicts).toMatchObject([
      { verdict: 'allow' },
      { verdict: 'deny', deniedBecause: 'rule' },
      { verdict: 'deny', enforced: true, deniedBecause: 'delegation', rule: null },
    ])
    const written = await records()
    expect(written).toMatchObject([{ chain }, { chain }, { chain, denied_because: 'delegation' }])
    // The spool writes a record fastest if its fields are in the order of the RFC 8785 form.
    for (const [record] of append.mock.calls) expect(JSON.stringify(record)).toBe(canonicalJson(record))
    expect(JSON.stringify(written)).not.toContain(delegation.slice(0, 40))
  })

  it('is not changed by a delegation that is left out', async () => {
    const { decider, records } = await deciding(all('allow'))
    expect(await decider.decide(toCall)).toMatchObject({ verdict: 'allow' })
    expect((await records())?.[0]).not.toHaveProperty('chain')
  })

  it('denies a bad token, in monitor mode too, and records no chain', async () => {
    for (const mode of ['enforce', 'monitor']) {
      const { decider, records } = await deciding(all('allow'), mode)
      for (const delegation of ['', 'nonsense', tokenOf({}, stranger)])
        expect(await decider.decide({ ...toCall, delegation })).toMatchObject({
          verdict: 'deny',
          enforced: true,
          deniedBecause: 'delegation',
        })
      for (const record of (await records()) ?? []) expect(record).not.toHaveProperty('chain')
    }
  })

  it('no longer holds when the delegation ends before the call is forwarded', async () => {
    const { decider, end, ended, beat } = await deciding(all('allow'))
    const decision = await decider.decide({ ...toCall, delegation: tokenOf() })
    expect(decider.holds(decision)).toBe(true)
    end(ids.first)
    beat(ended)
    expect(decider.holds(decision)).toBe(false)
    await ended.settled()
    expect(decider.holds(decision)).toBe(false)
    expect(await decider.decide({ ...toCall, delegation: tokenOf() })).toMatchObject({ deniedBecause: 'delegation' })
  })
})

it('an edge starts with the newest list of ended delegations in any seat, and denies until a heartbeat confirms it', async () => {
  const { start, end, beat, pass, folder, plane } = await startWorld()
  const seats = ['1', '2'].map((name) => join(folder, name)) as [string, string]
  for (const seat of seats) await mkdir(seat)
  for (const seat of seats) {
    const { ended } = await start({ seat })
    beat(ended)
    await ended.settled()
    await ended.close()
    end(ids.first)
    pass(1)
  }
  plane.isAway = true
  const { ended, delegations } = await start({ seat: seats[0], otherSeats: [seats[1]] })
  expect(ended.current()).toBeNull()
  plane.list.version--
  beat(ended)
  expect(ended.current()?.set.version).toBe(2)
  expect(delegations.refusalOf(await delegations.verify(tokenOf()), call)).toContain('ended')
})

it('an agent passes on at most 1,000 delegations a minute', async () => {
  const { start, control, beat } = await startWorld()
  const { ended, delegations } = await start()
  beat(ended)
  await ended.settled()
  let asked = 0
  const plane: ControlPlane = {
    async ask(request) {
      if (request.path !== '/edge/delegations') return await control.ask(request)
      asked++
      throw new ControlPlaneRefused(400, 'no')
    },
  }
  const requests = new AgentRequests(() => 0)
  const { standing } = await world(await profileOf(all('allow'), 'enforce', inEnvironment))
  const part = { delegation: tokenOf(), agent_id: ids.orchestrator, tools: ['*'], expires_at: at(hourMs) }
  const passOn = () => delegateOn({ plane, delegations, requests }, standing, part)
  await expect(passOn()).rejects.toThrow(ControlPlaneRefused)
  for (let n = 1; n < 1000; n++) requests.count(ids.agent)
  await expect(passOn()).rejects.toThrow(TooManyRequests)
  expect(asked).toBe(1)
})
