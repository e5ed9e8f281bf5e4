import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor, stateFolder } from '../edge-in-test.ts'
import { startMiddle } from '../middle.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const read = { tool: 'mcp:files/read', args: {} }
const newAgent = () => plane.newAgent({ rules: [rule('allow', ['mcp:files/read'])] })
const verdictOf = (edge: EdgeInTest, { id }: TestAgent) => edge.guardFor(id).decide(read)
/** Starts an edge without configured agents. */
const keyAlone = (url: string, agent: TestAgent, stateDir?: string) =>
  edgeFor(url, agent, { ...(stateDir !== undefined && { stateDir }), settings: { MANDATE_EDGE_AGENTS: '' } })

describe('an edge with an agent’s own key and no agent named', () => {
  it('serves the agent that the control plane names, also after a restart without the control plane', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await keyAlone(middle.url, agent)
    expect(edge.agentIds).toEqual([agent.id])
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
    await edge.close()
    middle.cut = true
    const again = await keyAlone(middle.url, agent, edge.stateDir)
    expect(again.agentIds).toEqual([agent.id])
    expect(await verdictOf(again, agent)).toMatchObject({ verdict: 'allow' })
  })

  it('does not start if neither the control plane nor its stored response names the agent of the key', async () => {
    const [agent, other] = [await newAgent(), await newAgent()]
    const middle = await startMiddle(plane.server.url)
    const { stateDir, close } = await keyAlone(middle.url, agent)
    await close()
    middle.cut = true
    const refused = /cannot find out which agent the key belongs to .*MANDATE_EDGE_AGENTS/
    await expect(keyAlone(middle.url, agent, await stateFolder())).rejects.toThrow(refused)
    await expect(keyAlone(middle.url, other, stateDir)).rejects.toThrow(refused)
    const [name] = (await readdir(stateDir)).filter((one) => one.startsWith('own-agent-'))
    const file = join(stateDir, name as string)
    await writeFile(file, (await readFile(file, 'utf8')).replace(agent.id, other.id))
    await expect(keyAlone(middle.url, agent, stateDir)).rejects.toThrow(refused)
  })
})

describe('why an agent may not act', () => {
  const reasonOf = async (edge: EdgeInTest, agent: TestAgent) => {
    await edge.refresh()
    return (await verdictOf(edge, agent)).reason
  }

  it('the reason names the cause and the person who can change it', async () => {
    const agent = await newAgent()
    await plane.ask('PUT', '/governance-gate', { gate: 'enforce' })
    const edge = await edgeFor(plane.server.url, agent)
    const notYet = 'not approved yet: ask a manager to resolve its onboarding review'
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: notYet })
    const { data } = await plane.ask('GET', `/reviews?agent_id=${agent.id}&status=pending`)
    await plane.ask('POST', `/reviews/${data[0].id}/resolve`, { outcome: 'approved', comment: 'read' })
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    expect(await reasonOf(edge, agent)).toBe('the agent is suspended: ask a manager to resume it')
    await plane.ask('POST', `/agents/${agent.id}/resume`)
    for (const [lifecycle_status, reason] of [
      ['blocked', 'the agent is blocked: a review that approves it lets it act again'],
      ['retired', 'the agent is retired'],
    ]) {
      await plane.ask('POST', `/agents/${agent.id}/lifecycle`, { lifecycle_status, reason: 'a test' })
      expect(await reasonOf(edge, agent)).toBe(reason)
    }
  })

  it('an agent in production waits for an owner, and an agent without a policy waits for a policy', async () => {
    await plane.ask('PUT', '/governance-gate', { gate: 'enforce' })
    const { data } = await plane.ask('GET', '/environments')
    const production = data.find(({ slug }: { slug: string }) => slug === 'production').id
    const made = await plane.ask('POST', '/agents', { name: 'bare', environment_id: production })
    const agent = { id: made.agent.id, key: made.agent_key, policyId: '' }
    const edge = await edgeFor(plane.server.url, agent)
    expect(await reasonOf(edge, agent)).toBe('not approved yet: ask an owner to resolve its onboarding review')
    await plane.ask('POST', `/agents/${agent.id}/lifecycle`, { lifecycle_status: 'approved', reason: 'a test' })
    expect(await reasonOf(edge, agent)).toBe('the agent has no policy: put it under one')
  })
})
