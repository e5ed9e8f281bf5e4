import { randomUUID } from 'node:crypto'
import { linkMailedTo } from '../mail.ts'
import { expect, type Organization, signIn, test } from '../tenant.ts'

const h1 = { level: 1 } as const

async function invite(organization: Organization): Promise<{ email: string; link: string }> {
  const email = `nia-${randomUUID()}@norrvik.example`
  await organization.api.call('inviteUser', { path: { id: organization.id }, body: { email, role: 'member' } })
  return { email, link: await linkMailedTo(email, 'join') }
}

test('an invited person reads the invitation, chooses a password and joins; the link then works no more', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*invitations\/accept$/, /^410 POST .*invitations\/preview$/)
  const { email, link } = await invite(organization)
  await page.goto(link)
  await expect(page.getByRole('heading', h1)).toHaveText('Join Norrvik Supply')
  await expect(page.getByText('Mara Lindqvist invites you to Norrvik Supply, as member.')).toBeVisible()
  await expect(page.getByText(email)).toBeVisible()
  await page.getByLabel('Your name').fill('Nia Okafor')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Your name')).toHaveValue('Nia Okafor')
  await page.getByLabel('Password').fill('seven wet goats sing')
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByRole('heading', h1)).toHaveText('Overview')
  await expect(page.getByRole('button', { name: 'NO, Nia Okafor, member, your menu' })).toBeVisible()

  await page.goto(link)
  await expect(page.getByText('This invitation has been used or has expired.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'sign in' })).toBeVisible()
})

test('a link without its token says what to do', async ({ page }) => {
  await page.goto('/join')
  await expect(page.getByText('The link is incomplete.')).toBeVisible()
  await expect(page.getByText('ask the person who invited you')).toBeVisible()
})

test('another tab of the browser shows the person who joined, not the one before', { tag: '@long' }, async ({
  page,
  organization,
  context,
}) => {
  await signIn(page, organization.email)
  await expect(page.getByRole('button', { name: /^ML, Mara Lindqvist/ })).toBeVisible()
  const { link } = await invite(organization)
  const other = await context.newPage()
  await other.goto(link)
  await other.getByLabel('Your name').fill('Nia Okafor')
  await other.getByLabel('Password').fill('seven wet goats sing')
  await other.getByRole('button', { name: 'Join' }).click()
  await expect(other.getByRole('heading', h1)).toHaveText('Overview')
  await expect(page.getByRole('button', { name: /^NO, Nia Okafor/ })).toBeVisible()
})

test('the token of a mailed link leaves the address, and a reload keeps it', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { link } = await invite(organization)
  await page.goto(link)
  await expect(page.getByRole('heading', h1)).toHaveText('Join Norrvik Supply')
  await expect(page).toHaveURL(/\/join$/)
  await page.reload()
  await expect(page.getByRole('heading', h1)).toHaveText('Join Norrvik Supply')
})
