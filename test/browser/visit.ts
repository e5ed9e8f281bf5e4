import { setTimeout as pause } from 'node:timers/promises'
import type { Page, Request } from '@playwright/test'

const quietMs = 50
const limitMs = 60_000

/** Goes through the pages of the dashboard without loading the document again, and notes everything that goes wrong. */
export class Visitor {
  readonly page: Page
  private faults: string[] = []
  private readonly open = new Set<Request>()

  constructor(page: Page) {
    this.page = page
    const note = (fault: string) => void this.faults.push(fault)
    page.on('console', (message) => {
      // The browser also reports each refused request, without saying which.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) note(`console: ${message.text()}`)
    })
    page.on('pageerror', ({ message }) => note(`error: ${message}`))
    page.on('response', (response) => {
      const request = response.request()
      if (response.status() >= 400) note(`${response.status()} ${request.method()} ${pathOf(request)}`)
    })
    page.on('request', (request) => {
      // The event stream stays open.
      if (!request.url().includes('/events/stream')) this.open.add(request)
    })
    page.on('requestfinished', (request) => this.open.delete(request))
    page.on('requestfailed', (request) => {
      this.open.delete(request)
      // A page that is left aborts its reads.
      const reason = request.failure()?.errorText ?? ''
      if (reason !== 'net::ERR_ABORTED') note(`${reason} ${request.method()} ${pathOf(request)}`)
    })
  }

  /** Signs in on the page *Sign in*. Learners do not have the sidebar that `signIn` of the other tests waits for. */
  async signIn(email: string, password: string): Promise<void> {
    await this.page.goto('/sign-in')
    await this.page.getByLabel('E-mail').fill(email)
    await this.page.getByLabel('Password').fill(password)
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await this.page.waitForURL('/')
    await this.settle()
  }

  /** Opens a page as a link does. Returns its heading, after everything was read. */
  async visit(href: string): Promise<string> {
    await this.page.evaluate((to) => history.pushState(null, '', to), href)
    const heading = await this.settle()
    for (const text of await this.page.evaluate(textsWithIds)) this.faults.push(`a bare id: ${text}`)
    const unknown = unknownFilters(this.page)
    if ((await unknown.count()) > 0) this.faults.push(await unknown.innerText())
    return heading
  }

  /** Waits until the page has its heading and nothing is being read. Returns the heading. */
  async settle(): Promise<string> {
    for (const giveUpAt = Date.now() + limitMs; Date.now() < giveUpAt; ) {
      await pause(quietMs)
      if (this.open.size > 0) continue
      const { isSettled, heading } = await this.page.evaluate(readState)
      if (isSettled && heading !== '' && this.open.size === 0) return heading
    }
    const waits = [...this.open].map((request) => `${request.method()} ${request.url()}`)
    throw new Error(`${this.page.url()} did not settle. ${waits.join(', ')}`)
  }

  /** Returns what went wrong since the last call. */
  takeFaults(): string[] {
    const taken = this.faults
    this.faults = []
    return taken
  }
}

/** The note above a page whose address has a filter that the page does not have. */
export const unknownFilters = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'that this page does not know' })

const pathOf = (request: Request) => new URL(request.url()).pathname

/** The visible texts with an id, outside of code. People see names; an id is behind *Copy*. */
function textsWithIds(): string[] {
  // Addresses of people may contain one.
  const id = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?!@)/i
  const found: string[] = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { nodeValue, parentElement: parent } = texts.currentNode
    if (parent === null || !id.test(nodeValue ?? '') || parent.closest('code, pre, input, textarea, script')) continue
    if (parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) found.push(nodeValue ?? '')
  }
  return found
}

function readState() {
  const { __TSR_ROUTER__: router } = window as unknown as {
    __TSR_ROUTER__: { state: { status: string; resolvedLocation?: { href: string } } }
  }
  const { status, resolvedLocation } = router.state
  return {
    isSettled:
      status === 'idle' &&
      resolvedLocation?.href === location.pathname + location.search + location.hash &&
      document.querySelector('[aria-busy="true"]') === null,
    heading: document.querySelector('h1')?.textContent?.trim() ?? '',
  }
}
