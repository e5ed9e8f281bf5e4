import { newFleet } from '../fleet.ts'
import { choose, expect, serverUrl, signIn, test } from '../tenant.ts'

test('an agent that runs without approval is found, and the finding says what fixes it', async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const policy = await api.call('createPolicy', {
    body: { name: 'Warehouse reads', override_mode: 'enforce', default_effect: 'deny' },
  })
  const { agent, agent_key: key } = await api.call('createAgent', {
    body: { name: 'warehouse-forecaster', environment_id: environments.production, policy_id: policy.id },
  })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Findings', exact: true }).click()
  await expect(page.getByText('No finding is open')).toBeVisible()
  const beat = await fetch(`${process.env.MANDATE_BROWSER_URL}/api/v1/edge/heartbeat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      instance_id: 'one',
      seq: 1,
      edge_version: '1.0.0',
      agents: [{ agent_id: agent.id, policy_id: policy.id, policy_version: 1 }],
    }),
  })
  expect(beat.status).toBe(200)
  // The event stream brings it, without a reload.
  const row = page.getByRole('listitem').filter({ hasText: 'Runs without approval' })
  await expect(row.getByRole('link', { name: 'warehouse-forecaster', exact: true })).toBeVisible()
  await choose(page, 'Severity', 'Low')
  await expect(page.getByText('No finding matches: Severity Low.')).toBeVisible()
  await expect(page).toHaveURL(/severity=low/)
  await choose(page, 'Environment', 'Development')
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Environment: any' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(row).toBeVisible()
})

test('an owner accepts missing decisions with a reason, and the finding closes', async ({ page, organization }) => {
  const { edge, call } = await newFleet(serverUrl(), organization)
  // The record that is missing in the chain opens a finding.
  edge.chain(call())
  await edge.record(call())
  await signIn(page, organization.email, '/findings?type=decision_gap')
  const row = page.getByRole('listitem').filter({ hasText: 'Decisions are missing' })
  await row.getByRole('button', { name: 'Accept the gap' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accept the missing decisions of support-triage?' })
  await expect(dialog).toContainText('The decisions stay missing, and the audit trail keeps your reason.')
  const accept = dialog.getByRole('button', { name: 'Accept the gap' })
  await expect(accept).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByLabel('Reason').fill('The disk of the edge was lost')
  await accept.click()
  await expect(page.getByLabel('Messages')).toContainText('The finding is closed.')
  await expect(row.getByText('Closed', { exact: true })).toBeVisible()
  await expect(row.getByRole('button', { name: 'Accept the gap' })).toHaveCount(0)
  await expect(row).toContainText('Accepted by you: “The disk of the edge was lost”')
  const { data } = await organization.api.call('listFindings', { query: { type: 'decision_gap' } })
  expect(data).toMatchObject([
    { status: 'closed', evidence: { accepted: { reason: 'The disk of the edge was lost' } } },
  ])
  await row.getByRole('link', { name: 'History of the finding Decisions are missing of support-triage' }).click()
  await expect(page.getByText(/Mara Lindqvist accepted the finding/)).toBeVisible()
})
