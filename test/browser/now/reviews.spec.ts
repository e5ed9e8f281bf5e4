import { addScene } from '../agents-of-tests.ts'
import { addPerson } from '../people.ts'
import { choose, closeDialog, expect, signedIn, signIn, test } from '../tenant.ts'

test('an owner sees what a review is about, and approves it with a comment', async ({ page, organization }) => {
  const { api, environments } = organization
  const policy = await api.call('createPolicy', {
    body: {
      name: 'Warehouse reads',
      override_mode: 'enforce',
      default_effect: 'deny',
      rules: [
        {
          name: 'Reads',
          priority: 1,
          effect: 'allow',
          match: { tools: ['mcp:wms/read-*'], when: [{ path: 'args.rows', op: 'lte', value: 100 }] },
        },
      ],
    },
  })
  const { agent } = await api.call('createAgent', {
    body: {
      name: 'warehouse-forecaster',
      environment_id: environments.production,
      policy_id: policy.id,
      description: 'Forecasts what the warehouse needs',
      tools: ['mcp:wms/read-stock'],
    },
  })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: '1\u00a0review waits for you' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Reviews')
  await page.getByRole('link', { name: 'warehouse-forecaster' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Onboarding review: warehouse-forecaster')
  const gate = page.getByRole('link', { name: 'Not approved yet. It may act, because the gate only alerts' })
  await expect(gate).toHaveAttribute('href', '/settings')
  const subject = page.getByRole('region', { name: 'What you approve' })
  await expect(subject.getByRole('link', { name: 'Warehouse reads' })).toBeVisible()
  await expect(subject.getByRole('link', { name: 'Version 1', exact: true })).toBeVisible()
  const rules = subject.getByRole('list', { name: 'Rules, by priority' }).getByRole('listitem')
  await expect(rules).toHaveText([/^AllowReads.*mcp:wms\/read-\*.*if args\.rows at most 100/, /^DenyEvery other call/])
  const facts = page.getByRole('region', { name: 'Agent' })
  await expect(facts.getByText('Forecasts what the warehouse needs')).toBeVisible()
  await expect(facts.getByText('Production', { exact: true })).toBeVisible()
  await expect(facts.getByText('Denied calls are stopped', { exact: true })).toBeVisible()
  await expect(facts.getByText('mcp:wms/read-stock')).toBeVisible()
  // A save while the reviewer reads: the page shows what an approval would approve now.
  await api.call('updatePolicy', { path: { policy_id: policy.id }, body: { description: 'Reads of the warehouse.' } })
  await expect(subject.getByRole('link', { name: 'Version 2', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve warehouse-forecaster?' })
  await expect(dialog.getByText('Warehouse reads, version 2 becomes the approved version')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Approve' })).toHaveAttribute('aria-disabled', 'true')
  await expect(dialog.getByText('Comment is required.')).toBeVisible()
  await page.goBack()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Onboarding review: warehouse-forecaster')
  await page.getByRole('button', { name: 'Approve' }).click()
  await dialog.getByLabel('Comment').fill('Read only, as agreed')
  await closeDialog(dialog, 'Approve')
  await expect(page.getByText('This review is approved.')).toBeVisible()
  const approved = page.getByRole('region', { name: 'What was approved' })
  await expect(approved.getByRole('link', { name: 'Version 2', exact: true })).toBeVisible()
  await expect(approved.getByText('Every other call')).toBeVisible()
  await expect(page.getByText('Warehouse reads, version 2', { exact: true })).toBeVisible()
  // A later review does not change what this one approved.
  await api.call('updatePolicy', { path: { policy_id: policy.id }, body: { description: 'Reads.' } })
  await page.reload()
  await expect(approved.getByRole('link', { name: 'Version 2', exact: true })).toBeVisible()
  expect((await api.call('getAgent', { path: { agent_id: agent.id } })).lifecycle_status).toBe('approved')
})

test('a superseded review leads to the review that waits now', async ({ page, organization }) => {
  const { api } = organization
  const { agent } = await addScene(organization)
  const path = { agent_id: agent.id }
  const { data } = await api.call('listReviews', { query: path })
  await api.call('archiveAgent', { path })
  const { id } = await api.call('openReview', { path, body: { kind: 'attestation' } })
  await signIn(page, organization.email, `/reviews/${data[0]?.id}`)
  await expect(page.getByText('This review is superseded.')).toBeVisible()
  await page.getByRole('link', { name: 'Open the review that waits now' }).click()
  await expect(page).toHaveURL(`/reviews/${id}`)
})

test('an owner rejects an agent with a comment, and the agent is blocked', async ({ page, organization }) => {
  const { api } = organization
  const { agent } = await addScene(organization)
  const { data } = await api.call('listReviews', { query: { agent_id: agent.id } })
  await signIn(page, organization.email, `/reviews/${data[0]?.id}`)
  await page.getByRole('button', { name: 'Reject' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reject support-triage?' })
  await expect(dialog).toContainText('The agent is blocked: every call is denied.')
  await expect(dialog.getByRole('button', { name: 'Reject' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('Comment').fill('Nobody owns it')
  await closeDialog(dialog, 'Reject')
  await expect(page.getByText('This review is rejected.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0)
  const review = page.getByRole('region', { name: 'Review', exact: true })
  await expect(review.getByText('Nobody owns it')).toBeVisible()
  await page.getByRole('link', { name: 'support-triage' }).first().click()
  await expect(page.getByText(/^It is blocked/)).toBeVisible()
  expect((await api.call('getAgent', { path: { agent_id: agent.id } })).lifecycle_status).toBe('blocked')
})

test('an owner attests an agent that a member asked about, and its version becomes the approved version', {
  tag: '@long',
}, async ({ page, organization }) => {
  const { api } = organization
  const { agent, policy } = await addScene(organization)
  const { data: opened } = await api.call('listReviews', { query: { agent_id: agent.id } })
  for (const { id: review_id } of opened)
    await api.call('resolveReview', { path: { review_id }, body: { outcome: 'approved', comment: 'Small refunds' } })
  await api.call('updatePolicy', { path: { policy_id: policy.id }, body: { description: 'For the support desk' } })
  const mina = await addPerson(organization, { role: 'member', name: 'Mina Aalto' })
  const asking = await signedIn(mina.email)
  const path = { agent_id: agent.id }
  const { id } = await asking.call('openReview', { path, body: { kind: 'attestation' } })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: '1\u00a0review waits for you' }).click()
  await page
    .getByRole('row', { name: /support-triage.*Pending/ })
    .getByRole('link', { name: 'support-triage', exact: true })
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attestation: support-triage')
  await expect(page.getByRole('paragraph').filter({ hasText: 'Is the agent still right as it is?' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Review', exact: true }).getByText('Mina Aalto')).toBeVisible()
  await page.getByRole('button', { name: 'Attest' }).click()
  const dialog = page.getByRole('dialog', { name: 'Attest support-triage?' })
  await expect(dialog).toContainText('You confirm that the agent is right as it is.')
  await expect(dialog).toContainText('Policy of support-triage, version 2 becomes the approved version.')
  await dialog.getByLabel('Comment').fill('Still needed, still read by the desk')
  await closeDialog(dialog, 'Attest')
  await expect(page.getByText('This review is attested.')).toBeVisible()
  expect((await api.call('getReview', { path: { review_id: id } })).status).toBe('attested')
  expect((await api.call('getAgent', { path })).approved_policy?.version).toBe(2)
})

test('the review of an agent without a policy says what an approval means', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const { agent } = await api.call('createAgent', {
    body: { name: 'label-printer', environment_id: environments.production },
  })
  const { data } = await api.call('listReviews', { query: { agent_id: agent.id } })
  await signIn(page, organization.email, `/reviews/${data[0]?.id}`)
  await expect(page.getByRole('paragraph').filter({ hasText: 'The agent has no policy yet.' })).toBeVisible()
  await expect(page.getByText('The agent has no policy, so every call is denied.')).toBeVisible()
  await page.getByRole('link', { name: 'Open the agent to assign a policy' }).click()
  const comparison = page.getByRole('region', { name: 'Approved and running' })
  await expect(comparison.getByText('Assigned: no policy')).toBeVisible()
  const policy = await api.call('createPolicy', { body: { name: 'Labels' } })
  await api.call('assignPolicy', { path: { agent_id: agent.id }, body: { policy_id: policy.id } })
  await expect(comparison.getByRole('link', { name: 'Labels, version 1' })).toBeVisible()
  await comparison.getByRole('link', { name: 'Open the review' }).click()
  await expect(page.getByRole('paragraph').filter({ hasText: 'May this agent work under this policy?' })).toBeVisible()
})

test('the sidebar leads to the pending reviews that it counts, and the filters can be taken out', {
  tag: '@long',
}, async ({ page, organization }) => {
  const { api } = organization
  await addScene(organization)
  const { agent } = await addScene(organization, { name: 'night-desk' })
  const { data } = await api.call('listReviews', { query: { agent_id: agent.id } })
  const body = { outcome: 'rejected', comment: 'Not needed' } as const
  await api.call('resolveReview', { path: { review_id: data[0]?.id as string }, body })
  await signIn(page, organization.email, '/help')
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Reviews/ })
    .click()
  const pending = page.getByRole('region', { name: 'Pending reviews' })
  await expect(pending.getByText('newest first')).toBeVisible()
  await expect(pending.getByRole('row')).toContainText(['Agent', 'support-triage'])
  await expect(page).toHaveURL('/reviews?status=pending&mine=true')
  await page.getByRole('button', { name: 'Clear For' }).click()
  await expect(page).toHaveURL('/reviews?status=pending')
  await page.getByRole('button', { name: 'Clear Status' }).click()
  await expect(page).toHaveURL(/\/reviews$/)
  await expect(page.getByRole('region', { name: 'All reviews' }).getByRole('row')).toHaveCount(3)
})

test('without reviews, the page says what opens one', { tag: '@long' }, async ({ page, organization }) => {
  await signIn(page, organization.email, '/reviews')
  await expect(page.getByText('There was no review so far.')).toBeVisible()
  await choose(page, 'Status', 'Rejected')
  await expect(page).toHaveURL(/status=rejected/)
  await expect(page.getByText('No review matches: Status Rejected.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(page).toHaveURL(/\/reviews$/)
})
