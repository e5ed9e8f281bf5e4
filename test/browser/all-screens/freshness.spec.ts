import { apiKey, createClient } from '@mandate/sdk'
import type { Page } from '@playwright/test'
import { addScene } from '../agents-of-tests.ts'
import { newFleet } from '../fleet.ts'
import { addPerson } from '../people.ts'
import { usePlan } from '../plan.ts'
import { expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'
import { Visitor } from '../visit.ts'

/** A change, and pages that show it. */
interface Change {
  name: string
  act: () => Promise<unknown>
  /** What each page shows after the change and not before. */
  shown: Record<string, string | RegExp>
}

/** A change of each kind of object, by somebody else than the reader of the pages. */
async function changesOf({ id, api, environments }: Organization): Promise<Change[]> {
  const { agent, policy, edgeName, ask, reportTools } = await newFleet(serverUrl(), { api, environments })
  const body = { name: 'night-desk', environment_id: environments.production }
  const { agent: second } = await api.call('createAgent', { body })
  const { id: environment_id } = await api.call('createEnvironment', { body: { name: 'Spare', slug: 'spare' } })
  await reportTools('stripe', [{ name: 'refund', description: 'Refunds a payment.' }])
  const { data: tools } = await api.call('listTools')
  const { id: tool_id } = tools[0] as (typeof tools)[number]
  const { data: edges } = await api.call('listEdges')
  const { id: edge_id } = edges.find(({ name }) => name === edgeName) as (typeof edges)[number]
  const path = { agent_id: agent.id }
  const agentPath = `/agents/${agent.id}`
  const later = new Date(Date.now() + 3_600_000).toISOString()
  let keyId = ''
  return [
    {
      name: 'an environment gets another name',
      act: () =>
        api.call('updateEnvironment', { path: { environment_id: environments.production }, body: { name: 'Harbour' } }),
      shown: { '/environments': 'Harbour', [agentPath]: 'Harbour', '/edges': 'Harbour', '/tools': 'Harbour' },
    },
    {
      name: 'an environment is deleted',
      act: () => api.call('deleteEnvironment', { path: { environment_id } }),
      shown: { '/environments': /^(?!.*Spare)/s },
    },
    {
      name: 'a person is invited',
      act: () => api.call('inviteUser', { path: { id }, body: { email: 'ida@norrvik.example', role: 'member' } }),
      shown: { '/team': 'ida@norrvik.example' },
    },
    {
      name: 'a key is created',
      act: async () => {
        keyId = (await api.call('createApiKey', { body: { name: 'Night run' } })).id
      },
      shown: { '/keys': 'Night run' },
    },
    {
      name: 'a key is revoked',
      act: () => api.call('revokeApiKey', { path: { key_id: keyId } }),
      shown: { '/keys': 'There is no active API key.' },
    },
    {
      name: 'an edge is created',
      act: () => api.call('createEdge', { body: { name: 'cloud-2', environment_id: environments.production } }),
      shown: { '/edges': 'cloud-2' },
    },
    {
      name: 'a credential is created',
      act: () =>
        api.call('createCredential', {
          body: { name: 'wiki', kind: 'bearer', environment_id: environments.production, secret: 'seven-wet-goats' },
        }),
      shown: { '/credentials': 'wiki' },
    },
    {
      name: 'a platform is connected',
      act: () => api.call('connectPlatform', { body: { kind: 'salesforce', name: 'Field sales', config: {} } }),
      shown: { '/platforms': 'Field sales' },
    },
    {
      name: 'a tool is blocked',
      act: () => api.call('blockTool', { path: { tool_id }, body: { reason: 'Asks for too much.' } }),
      shown: { '/tools': 'Blocked', [`/tools/${tool_id}`]: 'Asks for too much.' },
    },
    {
      name: 'a pattern is created',
      act: () =>
        api.call('createContentPattern', {
          body: { name: 'Project', group: 'inner', kind: 'words', words: ['falcon'] },
        }),
      shown: { '/content-patterns': 'Project' },
    },
    {
      name: 'a delegation is created',
      act: () =>
        api.call('createDelegation', { body: { agent_id: agent.id, tools: ['mcp:crm/get-*'], expires_at: later } }),
      shown: { [`${agentPath}?tab=delegations`]: 'mcp:crm/get-*' },
    },
    {
      name: 'a report is created',
      act: () => api.call('createReport', { body: { title: 'Third quarter' } }),
      shown: { '/reports': 'Third quarter' },
    },
    {
      name: 'an agent gets a policy',
      act: () => api.call('assignPolicy', { path: { agent_id: second.id }, body: { policy_id: policy.id } }),
      shown: { '/policies': /calls are stopped\s*2/, [`/policies/${policy.id}`]: '2 agents use this policy' },
    },
    {
      name: 'a policy gets another name',
      act: () => api.call('updatePolicy', { path: { policy_id: policy.id }, body: { name: 'Front desk' } }),
      shown: {
        '/policies': 'Front desk',
        '/agents': 'Front desk',
        [agentPath]: 'Front desk',
        [`${agentPath}?tab=timeline`]: '1 new event',
      },
    },
    {
      name: 'an agent gets another name',
      act: () => api.call('updateAgent', { path, body: { name: 'desk-triage' } }),
      shown: { '/agents': 'desk-triage', [agentPath]: 'desk-triage' },
    },
    {
      name: 'a call is held',
      act: () => ask({ tool: 'mcp:stripe/refund', args: { amount: 30_000, currency: 'eur' }, rule: 1 }),
      shown: { '/approvals?who=everyone': 'mcp:stripe/refund', '/': 'mcp:stripe/refund' },
    },
    {
      name: 'a review is requested',
      act: () => api.call('openReview', { path, body: { kind: 'attestation' } }),
      shown: { '/reviews': '1 new review' },
    },
    {
      name: 'an agent is suspended',
      act: () => api.call('suspendAgent', { path, body: { reason: 'Sends too much.' } }),
      shown: { '/agents': 'Suspended', [agentPath]: 'Suspended' },
    },
    {
      name: 'an agent is frozen',
      act: () => api.call('createFreeze', { body: { scope: 'agent', agent_id: agent.id, reason: 'Cause unknown' } }),
      shown: { '/freezes': 'Cause unknown', [agentPath]: 'Frozen' },
    },
    {
      name: 'an edge is revoked',
      act: () => api.call('revokeEdge', { path: { edge_id } }),
      shown: { '/edges': /^(?!.*cloud-1)/s },
    },
    {
      name: 'the organization gets another name',
      act: () => api.call('updateTenant', { path: { id }, body: { name: 'Norrvik Trade' } }),
      shown: { '/settings': 'Norrvik Trade' },
    },
  ]
}

test('pages show what somebody else changed, without a reload', { tag: '@long' }, async ({
  page,
  organization,
  context,
}) => {
  test.setTimeout(240_000)
  await usePlan(organization, 'pro')
  const changes = await changesOf(organization)
  const { email } = await addPerson(organization, { role: 'owner', name: 'Ines Varmaux' })
  await signIn(page, email, '/approvals')
  // As many tabs as a change has pages. They share one event stream.
  const most = Math.max(...changes.map(({ shown }) => Object.keys(shown).length))
  const tabs = [new Visitor(page)]
  while (tabs.length < most) tabs.push(new Visitor(await newTab(page)))
  for (const { page } of tabs) await expect(page.getByText('Live', { exact: true })).toBeVisible()
  for (const { name, act, shown } of changes) {
    const opened = Object.entries(shown).map(([path, text], index) => ({ tab: tabs[index] as Visitor, path, text }))
    await Promise.all(opened.map(({ tab, path }) => tab.visit(path)))
    for (const { tab, path, text } of opened)
      await expect.soft(tab.page.locator('body'), `${path}, before ${name}`).not.toContainText(text)
    await act()
    for (const { tab, path, text } of opened)
      await expect.soft(tab.page.locator('body'), `${path}, after ${name}`).toContainText(text)
  }
  for (const tab of tabs) expect(tab.takeFaults()).toEqual([])
  await context.close()
})

async function newTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto('/approvals')
  return tab
}

test('a save shows on the page, in another tab, and in the frame', async ({ page, organization }) => {
  await signIn(page, organization.email, '/settings')
  const other = await newTab(page)
  await other.goto('/environments')
  await page.getByLabel('Name', { exact: true }).first().fill('Norrvik Trade')
  await page.getByRole('button', { name: 'Save' }).first().click()
  for (const each of [page, other]) await expect(each.getByText('Norrvik Trade').first()).toBeVisible()
})

test('pages of agents and edges show a heartbeat that came after they were read', async ({ page, organization }) => {
  const { api, environments } = organization
  const { agent, policy } = await addScene(organization, { name: 'price-watcher' })
  const { edge_key } = await api.call('createEdge', {
    body: { name: 'hall-3-a', environment_id: environments.production },
  })
  const edge = createClient({ url: serverUrl(), credential: apiKey(edge_key) })
  const beat = async (seq: number) => {
    const agents = [{ agent_id: agent.id, policy_id: policy.id, policy_version: 1 }]
    await edge.call('sendHeartbeat', { body: { instance_id: 'one', seq, edge_version: '1.0.0', agents } })
    return (await api.call('getAgent', { path: { agent_id: agent.id } })).last_heartbeat_at as string
  }
  await beat(1)
  await page.clock.install()
  await signIn(page, organization.email, '/agents')
  const tabs = [
    { tab: page, place: page.getByRole('row', { name: /price-watcher/ }) },
    ...(await Promise.all(
      [`/agents/${agent.id}`, '/edges'].map(async (path) => {
        const tab = await page.context().newPage()
        await tab.clock.install()
        await tab.goto(path)
        return { tab, place: tab.getByRole('main') }
      }),
    )),
  ]
  for (const { place } of tabs) await expect(place.locator('time').first()).toBeAttached()
  const latest = await beat(2)
  for (const { tab, place } of tabs) {
    await tab.clock.fastForward(16_000)
    const shown = place.locator(`time[datetime="${latest}"]`)
    await expect(shown.first()).toBeAttached()
  }
})

test('pages of agents and approvals show a call that came after they were read', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api } = organization
  const { agent, ask, call, edge } = await newFleet(serverUrl(), organization)
  const approval_id = await ask({ tool: 'mcp:stripe/refund', args: { amount: 48_900 }, rule: 1 })
  await api.call('resolveApproval', { path: { approval_id }, body: { outcome: 'approved' } })
  await page.clock.install()
  await signIn(page, organization.email, `/approvals?open=${approval_id}`)
  const reach = await page.context().newPage()
  await reach.clock.install()
  await reach.goto(`/agents/${agent.id}?tab=reach`)
  await expect(reach.getByText('No tool is known so far.')).toBeVisible()
  await expect(page.getByText('Approved, not used').first()).toBeVisible()
  const { args_digest, policy_version, policy_hash } = await api.call('getApproval', { path: { approval_id } })
  const used = { args_digest, policy_version, policy_hash }
  expect((await edge.api.post(`/edge/approvals/${approval_id}/consume`, used)).status).toBe(200)
  await expect(page.getByRole('article').getByText('Approved, used')).toBeVisible()
  await edge.record(call({ tool: 'mcp:stripe/refund', effect: 'allow', approval_id }))
  await page.clock.fastForward(3_000)
  await expect(page.getByRole('link', { name: 'The call that passed' })).toBeVisible()
  await reach.clock.fastForward(16_000)
  await expect(reach.getByRole('row', { name: /mcp:stripe\/refund/ })).toBeVisible()
})
