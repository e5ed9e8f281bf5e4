import { type Client, createClient, type Schema, session, tokensOf } from '@mandate/sdk'
import { test as base, expect, type Locator, type Page } from '@playwright/test'

const password = 'seven wet goats sing'

/** An organization of one test, with its owner's client for the API. */
export interface Organization {
  id: string
  email: string
  password: string
  /** Calls the API as the owner. */
  api: Client
  environments: Record<'production' | 'development', string>
}

export const serverUrl = () => process.env.MANDATE_BROWSER_URL as string

/** Opens a page as a person, who has signed in over the API. */
export async function signIn(page: Page, email: string, path = '/'): Promise<void> {
  const headers = { 'mandate-session': 'cookie' }
  const answer = await page.request.post('/api/v1/auth/sign-in', { headers, data: { email, password } })
  expect(answer.status()).toBe(200)
  // The dashboard asks for the session of a browser that has one. A small file is enough to say so.
  await page.goto('/theme.js')
  await page.evaluate(() => localStorage.setItem('mandate signed in', 'yes'))
  await page.goto(path)
  // A new page takes the focus when it shows its name.
  await expect(page.locator('#main h1')).toBeVisible()
}

/** Signs in on the page *Sign in*. */
export async function signInByForm(page: Page, email: string, secret = password): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
}

/** Presses a button that ends a dialog. Waits until the dialog is closed, because until then the page has some texts twice. */
export async function closeDialog(dialog: Locator, button: string): Promise<void> {
  await dialog.getByRole('button', { name: button, exact: true }).click()
  await expect(dialog).toHaveCount(0)
}

/** Chooses a value of a filter above a list. */
export async function choose(page: Page, filter: string, value: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${filter}: `) }).click()
  await page.getByRole('menuitemradio', { name: value }).click()
}

interface Fixtures {
  organization: Organization
  /** Patterns of faults that a test expects, such as a refused request. All others fail the test. */
  expectedFaults: RegExp[]
}

/** The test function of the browser tests. Each test gets a new organization, and fails if the page has a fault. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern
  baseURL: async ({}, use) => use(serverUrl()),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern
  organization: async ({}, use) => use(await newOrganization()),
  // Console errors, reports of the security policy and refused requests must not happen on any page.
  expectedFaults: [
    async ({ page }, use) => {
      const faults: string[] = []
      page.on('console', (message) => {
        // The browser also reports each refused request, without saying which.
        const isRefusal = message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()}`)
      })
      page.on('pageerror', (error) => void faults.push(`error: ${error.message}`))
      page.on('response', (response) => {
        const { pathname } = new URL(response.url())
        if (response.status() >= 400) faults.push(`${response.status()} ${response.request().method()} ${pathname}`)
      })
      const expected: RegExp[] = []
      await use(expected)
      expect(faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)))).toEqual([])
    },
    { auto: true },
  ],
})
export { expect }

/** Creates an organization over the API. @param email the address of its owner */
export async function newOrganization(
  email = `owner-${crypto.randomUUID()}@norrvik.example`,
  url = serverUrl(),
): Promise<Organization> {
  const open = createClient({ url })
  const made = await open.call('register', {
    body: { email, password, organization: 'Norrvik Supply', display_name: 'Mara Lindqvist' },
  })
  const api = clientOf(made.session, url)
  const { data } = await api.call('listEnvironments')
  const idOf = (slug: string) => data.find((environment) => environment.slug === slug)?.id as string
  const environments = { production: idOf('production'), development: idOf('development') }
  return { id: made.tenant.id, email, password, api, environments }
}

/** Signs in over the API, with the password of all people of the tests. */
export async function signedIn(email: string): Promise<Client> {
  const open = createClient({ url: serverUrl() })
  return clientOf((await open.call('signIn', { body: { email, password } })).session)
}

/** A client for the API with the session of a person. */
export function clientOf(opened: Schema<'Session'>, url = serverUrl()): Client {
  const open = createClient({ url })
  const refresh = async (token: string) =>
    tokensOf((await open.call('refresh', { body: { refresh_token: token } })).session)
  return createClient({ url, credential: session({ tokens: tokensOf(opened), refresh }) })
}
