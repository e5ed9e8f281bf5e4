import { randomUUID } from 'node:crypto'
import { contentHash } from '@mandate/proofs/canonical'
import { newFleet } from '../fleet.ts'
import { choose, closeDialog, expect, serverUrl, signIn, test } from '../tenant.ts'

test('an auditor follows a denied call from the list to its proof', async ({ page, organization }) => {
  const fleet = await newFleet(serverUrl(), organization)
  const { api } = organization
  const held = fleet.policy.rules[1]
  const approval_id = await fleet.ask({
    tool: 'mcp:stripe/refund',
    args: { amount: 48_900, currency: 'eur', note: 'hidden\u200b' },
    rule: 1,
  })
  const { args_digest } = await api.call('getApproval', { path: { approval_id } })
  await fleet.edge.record(
    fleet.call({ session_id: 'ticket-1', at: new Date(Date.now() - 5_000).toISOString() }),
    fleet.call({
      tool: 'mcp:stripe/refund',
      effect: 'require_approval',
      rule_id: held?.id,
      session_id: 'ticket-1',
      approval_id,
      args_digest,
    }),
  )
  const comment = 'Amount does not match order 88213.'
  await api.call('resolveApproval', { path: { approval_id }, body: { outcome: 'rejected', comment } })
  // The links of the decision still lead to the version that decided.
  await api.call('updatePolicy', { path: { policy_id: fleet.policy.id }, body: { description: 'Saved later.' } })
  await signIn(page, organization.email, '/decisions')
  await choose(page, 'Effect', 'Require approval')
  await expect(page).toHaveURL(/effect=require_approval/)
  const list = page.getByRole('region', { name: 'Decisions, newest first' })
  await expect(list.getByRole('row')).toHaveCount(2)
  const opened = list.getByRole('row').last().getByRole('rowheader').getByRole('link')
  await expect(opened).toHaveText(/^(\d+ \w+( \d+)?, )?\d\d:\d\d:\d\d/)
  await opened.click()
  await expect(page.getByText(/A rule held this call, a person denied it after .* s, and/)).toBeVisible()
  const chain = page.getByRole('region', { name: 'From call to seal' })
  await expect(chain.getByText('args.amount above 20000')).toBeVisible()
  await expect(page.getByText('the rule asks: above 20000')).toBeVisible()
  const ways = page.getByRole('region', { name: 'To let it pass' })
  await expect(ways.getByText(/^The call did not pass\. The same call stays denied until/)).toBeVisible()
  await expect(chain.getByText(comment)).toBeVisible()
  await expect(chain.getByText('Edge cloud-1 signed the record')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Receipt' }).getByText('Policy hash is version 1')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Replay' }).getByText('Same', { exact: true })).toBeVisible()
  await expect(page.getByText('1 hidden character')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Calls of the session' }).getByRole('row')).toHaveCount(2)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download receipt' }).click()
  expect((await download).suggestedFilename()).toMatch(/^receipt-.*\.json$/)
  const policy = chain.getByRole('link', { name: `${fleet.policy.name}, version 1` })
  await expect(policy).toHaveAttribute('href', /tab=versions&version=1$/)
  await chain.getByRole('link', { name: 'Refunds above 200 EUR' }).click()
  const rules = page.getByRole('region', { name: 'All of version 1' })
  const marked = rules.getByRole('listitem').filter({ hasText: 'the rule of the link' })
  await expect(marked).toContainText('Refunds above 200 EUR')
  await expect(marked).toBeInViewport()
  await page.goBack()
  await chain.getByRole('link', { name: 'Open the approval' }).click()
  await expect(page.getByRole('article').getByRole('link', { name: 'The held call' })).toHaveAttribute(
    'href',
    /\/decisions\/[0-9a-f-]{36}$/,
  )
  await page.goBack()
  await page.goBack()
  await expect(page).toHaveURL(/\/decisions\?effect=require_approval$/)
})

test('a held call says why its arguments are missing, what its rule asks, and the reason of the rule', async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  const rule_id = fleet.policy.rules[1]?.id
  await fleet.edge.record(fleet.call({ tool: 'mcp:stripe/refund', effect: 'require_approval', rule_id }))
  const { data } = await organization.api.call('listDecisions')
  await signIn(page, organization.email, `/decisions/${data[0]?.decision_id}`)
  const chain = page.getByRole('region', { name: 'From call to seal' })
  await expect(chain.getByText('It matches if args.amount above 20000, and if that cannot be decided')).toBeVisible()
  await expect(chain.getByText('“Refunds above 200 EUR need a person.”')).toBeVisible()
  const none = page.getByRole('region', { name: 'Arguments' })
  await expect(none).toContainText('Arguments are not kept in Production.')
})

test('new calls wait behind a button', { tag: '@long' }, async ({ page, organization }) => {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.edge.record(fleet.call())
  await signIn(page, organization.email, '/decisions')
  const rows = page.getByRole('region', { name: 'Decisions, newest first' }).getByRole('row')
  await expect(rows).toHaveCount(2)
  await fleet.edge.record(fleet.call(), fleet.call())
  const show = page.getByRole('button', { name: /2\s*new calls, show them/ })
  await expect(show).toBeVisible()
  await expect(rows).toHaveCount(2)
  await show.click()
  await expect(rows).toHaveCount(4)
})

test('an empty list says what it is, and filters without a match can be cleared', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email, '/decisions')
  await expect(page.getByText('No call was recorded so far.')).toBeVisible()
  await page.goto('/decisions?effect=deny')
  await expect(page.getByText('No recorded call matches: Effect Deny.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page).toHaveURL(/\/decisions$/)
})

test('a search for a tool applies with Enter, and Back takes it out again', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.edge.record(fleet.call({ tool: 'mcp:mail/read' }), fleet.call({ tool: 'mcp:crm/get-order' }))
  await signIn(page, organization.email, '/decisions?span=week')
  const list = page.getByRole('region', { name: 'Decisions, newest first' })
  await expect(list.getByRole('row')).toHaveCount(3)
  const search = page.getByRole('searchbox', { name: 'Tool, such as mcp:files/*' })
  await search.fill('mcp:mail/read')
  await search.press('Enter')
  await expect(list.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/span=week&tool=mcp/)
  await page.goBack()
  await expect(list.getByRole('row')).toHaveCount(3)
  await expect(search).toHaveValue('')
  await page.goto(`/decisions?agent_id=${fleet.agent.id}`)
  await expect(page.getByRole('button', { name: 'Agent: support-triage' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear Agent' }).click()
  await expect(page).toHaveURL(/\/decisions$/)
})

test('decisions are filtered by an agent and by a period, and the address keeps both', async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  await fleet.edge.record(fleet.call({ at: at(180) }), fleet.call({ at: at(90) }), fleet.call({ at: at(2) }))
  await organization.api.call('createAgent', {
    body: { name: 'price-watcher', environment_id: organization.environments.production },
  })
  await signIn(page, organization.email, '/decisions')
  const rows = page.getByRole('region', { name: 'Decisions, newest first' }).getByRole('row')
  await expect(rows).toHaveCount(4)
  await page.getByRole('button', { name: 'Agent: any' }).click()
  await page.getByRole('searchbox', { name: 'Name of the agent' }).fill('support')
  await page.getByRole('menuitemradio', { name: /support-triage/ }).click()
  await expect(page).toHaveURL(new RegExp(`agent_id=${fleet.agent.id}`))
  await page.getByRole('button', { name: 'Agent: support-triage' }).click()
  await expect(page.getByRole('menuitemradio', { name: /support-triage/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await page.getByRole('button', { name: 'Agent: support-triage' }).click()
  const find = page.getByRole('searchbox', { name: 'Name of the agent' })
  await find.fill('nobody')
  await expect(page.getByText('No agent has this name.')).toBeVisible()
  await find.fill('price')
  await expect(page.getByRole('menuitemradio')).toHaveText(/price-watcher/)
  await find.press('Enter')
  await expect(page.getByRole('button', { name: 'Agent: price-watcher' })).toBeVisible()
  await page.goBack()
  await choose(page, 'Period', 'the last hour')
  await expect(page).toHaveURL(/within=hour/)
  await expect(page.getByRole('button', { name: /^Period: the last hour, since .*\d\d:\d\d$/ })).toBeVisible()
  await expect(rows).toHaveCount(2)
  await page.goBack()
  await expect(rows).toHaveCount(4)
  await page.getByRole('button', { name: 'Period: any' }).click()
  await page.getByRole('menuitemradio', { name: 'from and to…' }).click()
  const local = (minutes: number) =>
    page.evaluate((time) => {
      const date = new Date(time)
      return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    }, at(minutes))
  const dialog = page.getByRole('dialog', { name: 'Which period?' })
  await dialog.getByLabel('From').fill(await local(60))
  await dialog.getByLabel('To').fill(await local(120))
  await expect(dialog.getByRole('button', { name: 'Show' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('From').fill(await local(120))
  await dialog.getByLabel('To').fill(await local(60))
  await closeDialog(dialog, 'Show')
  await expect(page).toHaveURL(/from=.*&to=/)
  await expect(rows).toHaveCount(2)
  await expect(page.getByText(/In this period, 1.decision allowed a call/)).toBeVisible()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(page).toHaveURL(/\/decisions$/)
  await expect(rows).toHaveCount(4)
  // Counts by the hour are kept for 35 days.
  const days = 24 * 60
  await page.goto(`/decisions?from=${at(40 * days)}&to=${at(38 * days)}`)
  await expect(page.getByText(/From .+ to .+, counted by the day, no decision was recorded/)).toBeVisible()
  await expect(page.getByText('now', { exact: true })).toHaveCount(0)
})

test('a pattern of tools asks for the agent whose calls the chart counts', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.edge.record(fleet.call({ tool: 'mcp:files/read' }))
  await signIn(page, organization.email, `/decisions?tool=${encodeURIComponent('mcp:files/*')}`)
  await expect(page.getByRole('region', { name: 'Decisions, newest first' }).getByRole('row')).toHaveCount(2)
  await page.getByRole('combobox', { name: 'Agent' }).fill('support')
  await page.getByRole('option', { name: 'support-triage' }).click()
  await expect(page).toHaveURL(new RegExp(`agent_id=${fleet.agent.id}`))
  await expect(page.getByRole('heading', { name: 'Decisions', level: 2 })).toBeVisible()
})

test('an unsigned decision has no receipt, and the button says so', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  await fleet.edge.api.post('/edge/decisions', { decisions: [fleet.call({ effect: 'deny' })] })
  const { data } = await organization.api.call('listDecisions')
  await signIn(page, organization.email, `/decisions/${data[0]?.decision_id}`)
  await expect(page.getByText('no receipt proves it')).toBeVisible()
  const button = page.getByRole('button', { name: 'Download receipt' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByText('this decision is unsigned')).toBeVisible()
})

test('a filter that the server refuses is shown in its words', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 GET .*\/decisions/)
  await signIn(page, organization.email, '/decisions?agent_id=nobody')
  await expect(page.getByText(/agent_id/).first()).toBeVisible()
})

test('a decision whose environment keeps arguments shows what the policy reads of them', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const fleet = await newFleet(serverUrl(), organization)
  const path = { environment_id: organization.environments.production }
  await organization.api.call('updateEnvironment', { path, body: { keep_arguments_for_replay: true } })
  const decision_id = randomUUID()
  const readings = [
    [
      { path: 'args.amount', state: 'value', value: 48_900 },
      { path: 'args.currency', state: 'not_kept', because: 'redacted' },
    ],
  ]
  const kept = { decision_id, salt: '0'.repeat(32), undeclared: false, readings }
  const rule_id = fleet.policy.rules[1]?.id
  const held = { tool: 'mcp:stripe/refund', effect: 'require_approval', rule_id }
  const sent = { decision_id, ...held, kept_digest: contentHash(kept) }
  await fleet.edge.api.post('/edge/decisions', { decisions: [fleet.call(sent)], kept_arguments: [kept] })
  await signIn(page, organization.email, `/decisions/${decision_id}`)
  const frame = page.getByRole('region', { name: 'Sent by the agent.' })
  await expect(frame.getByRole('row', { name: 'args.amount' })).toContainText('48900')
  await expect(frame.getByText('args.currency: Not kept: the edge redacted it.')).toBeVisible()
  await expect(frame.getByText('the rule asks: above 20000')).toBeVisible()
  const ways = page.getByRole('region', { name: 'To let it pass' })
  await expect(ways.getByText('A person must approve the call.')).toBeVisible()
  await expect(ways.getByText('args.amount above 20000. In this call: 48900')).toBeVisible()
  await expect(ways.getByText('Each member, manager or owner with access to its environment.')).toBeVisible()
})
