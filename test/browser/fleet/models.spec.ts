import { newFleet } from '../fleet.ts'
import { expect, serverUrl, signIn, test } from '../tenant.ts'

test('the page says which models agents use, and which of them no record names', async ({ page, organization }) => {
  await signIn(page, organization.email)
  await page.getByRole('link', { name: 'Models', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Models')
  await expect(page.getByText('No agent declares a model, and no edge has decided a call of a model.')).toBeVisible()
  const fleet = await newFleet(serverUrl(), organization)
  const path = { agent_id: fleet.agent.id }
  await organization.api.call('updateAgent', { path, body: { model: 'large-2' } })
  await fleet.edge.record(fleet.call({ tool: 'model:acme/tiny' }), fleet.call({ tool: 'model:acme/tiny' }))
  await page.reload()
  await expect(page.getByText('Agents use 1\u00a0model that no record names')).toBeVisible()
  const used = page.getByRole('row', { name: /^tiny/ })
  await expect(used).toContainText('Used, not declared')
  await expect(used.getByRole('cell').nth(4)).toHaveText('2')
  await expect(page.getByRole('row', { name: /^large-2/ })).toContainText('Declared, not seen')
})
