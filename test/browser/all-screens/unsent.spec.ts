import type { Page } from '@playwright/test'
import { addScene, holdCall } from '../agents-of-tests.ts'
import { choose, closeDialog, expect, signIn, test } from '../tenant.ts'

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

/** Opens another page by the palette, which also opens above a dialog. */
async function choosePage(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Find' })
  await palette.getByRole('searchbox').fill(name)
  await palette.getByRole('menuitem', { name: new RegExp(`^${name} `) }).click()
}

/** Loads the page again. Stays on the page if the browser asks. Returns whether it asked. */
async function reload(page: Page): Promise<boolean> {
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss()
    return dialog.type() === 'beforeunload'
  })
  const loaded = page.waitForEvent('load').then(() => false)
  await page.evaluate(() => location.reload()).catch(() => {})
  const hasAsked = await Promise.race([asked, loaded])
  for (const event of [asked, loaded]) event.catch(() => {})
  return hasAsked
}

test('the palette and a reload ask before they throw away the text of a dialog', async ({ page, organization }) => {
  await signIn(page, organization.email, '/agents?dialog=register')
  const dialog = page.getByRole('dialog', { name: 'Register an agent' })
  const text = dialog.getByLabel('Description')
  await text.fill('Reads the mail of the support.')
  await choosePage(page, 'Policies')
  await closeDialog(question(page), 'Cancel')
  await expect(text).toHaveValue('Reads the mail of the support.')
  expect(await reload(page)).toBe(true)
  await expect(text).toHaveValue('Reads the mail of the support.')
  await choosePage(page, 'Policies')
  await closeDialog(question(page), 'Discard the text')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Policies')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await reload(page)).toBe(false)
})

test('a text that the server refused is still asked for', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^409 POST .*policies$/)
  await organization.api.call('createPolicy', { body: { name: 'Shared files' } })
  await signIn(page, organization.email, '/policies')
  await page.getByRole('button', { name: 'Create policy' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create a policy' })
  await dialog.getByLabel('Name').fill('Shared files')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(dialog.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
  await page.goBack()
  await closeDialog(question(page), 'Cancel')
  // A submit that goes on to a page does not ask.
  await dialog.getByLabel('Name').fill('Shared mail')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Shared mail')
})

test('a dialog of the header asks, and closes with the page', { tag: '@long' }, async ({ page, organization }) => {
  await addScene(organization)
  await signIn(page, organization.email, '/agents')
  await choose(page, 'Order', 'By name')
  await expect(page).toHaveURL('/agents?sort=name')
  await page.getByRole('button', { name: 'Freeze…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Freeze agents?' })
  await dialog.getByLabel('Reason').fill('Too many refunds.')
  // The dialog stays on the page, so nothing is lost.
  await page.goBack()
  await expect(page).toHaveURL('/agents')
  await expect(question(page)).toHaveCount(0)
  await expect(dialog.getByLabel('Reason')).toHaveValue('Too many refunds.')
  await choosePage(page, 'Policies')
  await closeDialog(question(page), 'Cancel')
  await expect(dialog.getByLabel('Reason')).toHaveValue('Too many refunds.')
  await choosePage(page, 'Policies')
  await closeDialog(question(page), 'Discard the text')
  await expect(dialog).toHaveCount(0)
})

test('the next call asks before it throws the comment away', async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  const next = await holdCall(scene, { amount: 51_200 })
  await signIn(page, organization.email, `/approvals?open=${id}`)
  const comment = page.getByRole('article').getByLabel('Comment')
  await comment.fill('Agreed with Elin')
  const row = page.getByRole('region', { name: 'Waiting' }).locator(`[href*="${next.id}"]`)
  await row.click()
  await closeDialog(question(page), 'Cancel')
  await expect(page).toHaveURL(new RegExp(`open=${id}`))
  await expect(comment).toHaveValue('Agreed with Elin')
  // The same call stays open, so nothing is lost.
  await page.getByRole('link', { name: 'Show all calls that wait' }).click()
  await expect(page).toHaveURL(/who=everyone/)
  await expect(comment).toHaveValue('Agreed with Elin')
  await row.click()
  await closeDialog(question(page), 'Discard the text')
  await expect(page).toHaveURL(new RegExp(`open=${next.id}`))
  await expect(comment).toHaveValue('')
})

test('settings ask once for all forms before another tab or page opens, and a save does not ask', async ({
  page,
  organization,
}) => {
  await signIn(page, organization.email, '/settings')
  const certificate = page.getByLabel('Certificate of the provider (PEM)')
  const name = page.getByLabel('Name', { exact: true })
  await certificate.fill('-----BEGIN CERTIFICATE-----')
  await name.fill('Norrvik Group')
  await page.getByRole('link', { name: 'Your account', exact: true }).click()
  await closeDialog(question(page), 'Cancel')
  await expect(certificate).toHaveValue('-----BEGIN CERTIFICATE-----')
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await closeDialog(question(page), 'Cancel')
  expect(await reload(page)).toBe(true)
  await certificate.fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved the organization.')).toBeVisible()
  await page.getByRole('link', { name: 'Your account', exact: true }).click()
  await expect(page).toHaveURL('/settings?tab=account')
  await page.getByLabel('Your name').fill('Mara L.')
  await page.getByRole('link', { name: 'Usage', exact: true }).click()
  await closeDialog(question(page), 'Discard the text')
  await expect(page).toHaveURL('/settings?tab=usage')
})

test('a comment that was sent is not asked for, also if the answer to the decision was lost', {
  tag: '@long',
}, async ({ page, organization }) => {
  const scene = { ...(await addScene(organization)), api: organization.api }
  const { id } = await holdCall(scene, { amount: 48_900 })
  await signIn(page, organization.email, `/approvals?open=${id}`)
  const call = page.getByRole('article')
  await call.getByLabel('Comment').fill('Agreed with Elin')
  await call.getByRole('button', { name: 'Approve' }).click()
  await page.route('**/resolve', async (route) => {
    await route.fetch()
    await route.abort()
  })
  const dialog = page.getByRole('dialog', { name: 'Approve this call of support-triage?' })
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await expect(dialog.getByText('Your decision arrived')).toBeVisible()
  await closeDialog(dialog, 'Cancel')
  await choosePage(page, 'Policies')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Policies')
  await expect(question(page)).toHaveCount(0)
})
