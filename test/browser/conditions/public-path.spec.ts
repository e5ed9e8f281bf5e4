// Long: it starts a server of its own, with a path in PUBLIC_URL.
import { randomUUID } from 'node:crypto'
import { startServer } from '../start-server.ts'
import { expect, test } from '../tenant.ts'

test('the dashboard works at the path of PUBLIC_URL: pages, their code, reloads, and the session', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(240_000)
  const server = await startServer()
  try {
    await server.halt()
    const base = `${server.url}/gov/mandate`
    await server.resume({ PUBLIC_URL: base })
    await page.goto(`${base}/agents`)
    await expect(page).toHaveURL(new RegExp(`^${base}/sign-in`))
    await page.getByRole('link', { name: 'Create an organization' }).click()
    const email = `mara-${randomUUID()}@norrvik.example`
    await page.getByLabel('Organization').fill('Norrvik Supply')
    await page.getByLabel('Your name').fill('Mara Lindqvist')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('seven wet goats sing')
    await page.getByRole('button', { name: 'Create an organization' }).click()
    await page.getByRole('link', { name: 'Policies', exact: true }).click()
    await expect(page).toHaveURL(`${base}/policies`)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Policies')
    await expect(page.getByRole('link', { name: 'Policies', exact: true })).toHaveAttribute('aria-current', 'page')
    await page.getByRole('button', { name: /your menu/ }).click()
    await expect(page.getByRole('menuitem', { name: /API/ })).toHaveAttribute('href', '/gov/mandate/docs')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page).toHaveURL(`${base}/sign-in`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('seven wet goats sing')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
    await page.goto(`${base}/getting-started`)
    await expect(page.locator('body')).toHaveCSS('font-family', /^"Inter Variable"/)
    await expect(page.getByRole('link', { name: 'Mandate', exact: true })).toHaveAttribute('href', '/gov/mandate/')
  } finally {
    await server.stop()
  }
})
