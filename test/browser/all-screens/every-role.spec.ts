// Most roles are long: each opens about 50 pages. The short tests open them as the roles that see the least.
import type { Client, MandateError } from '@mandate/sdk'
import { expect } from '@playwright/test'
import { dashboardPaths } from '../../../packages/contract/src/words/dashboard-paths.ts'
import { compareControls } from '../actions.ts'
import { serverUrl, signedIn } from '../tenant.ts'
import { Visitor } from '../visit.ts'
import { type Path, type Person, persons, readObject, test, views, type World } from '../world.ts'

/** Their links act when they are opened: they sign in, and confirm an address. Tests of their own open them. */
const acting: Path[] = ['/sign-in/complete', '/verify-email']

interface Stop {
  path: Path
  href: string
}

const stopsOf = ({ addresses }: World): Stop[] =>
  dashboardPaths
    .filter((path) => !acting.includes(path))
    .flatMap((path) => ['', ...(views[path] ?? [])].map((view) => ({ path, href: (addresses[path] ?? path) + view })))

/** True if the API answers 404 to this person for the object of the page, and the page asked for nothing else. */
async function isHidden({ path, href }: Stop, faults: readonly string[], api: Client): Promise<boolean> {
  const [object = ''] = href.split('?')
  if (faults.join() !== `404 GET /api/v1${object}`) return false
  const reading = readObject[path]?.(api, object.split('/').at(-1) as string)
  if (!reading) return false
  return await reading.then(
    () => false,
    (error: MandateError) => error.status === 404,
  )
}

/** The persons of the short tests. The tests of every page open them as the owner. */
const least: readonly Person[] = ['viewer', 'limited member', 'learner']

for (const person of persons) {
  const tag = least.includes(person) ? [] : '@long'
  const title = `${person} opens every page: no page asks for what is refused, and a disabled button gives the reason of the server`
  test(title, { tag }, async ({ browser, world }) => {
    const page = await browser.newPage({ baseURL: serverUrl(), reducedMotion: 'reduce' })
    const visitor = new Visitor(page)
    const api = await signedIn(world.people[person])
    await visitor.signIn(world.people[person], world.password)
    expect(visitor.takeFaults()).toEqual([])
    const wrong: Record<string, unknown> = {}
    for (const stop of stopsOf(world)) {
      const heading = await visitor.visit(stop.href)
      const faults = visitor.takeFaults()
      if (await isHidden(stop, faults, api)) continue
      const isCompared = person !== 'learner' && !stop.href.includes('?')
      const differences = isCompared ? await compareControls(visitor, stop, api) : []
      faults.push(...visitor.takeFaults())
      if (faults.length + differences.length > 0 || heading === 'No such page')
        wrong[stop.href] = { heading, faults, differences }
    }
    await page.close()
    expect(wrong).toEqual({})
  })
}

test('a stranger opens every page, and no page of the organization asks for anything', async ({ browser, world }) => {
  const page = await browser.newPage({ baseURL: serverUrl(), reducedMotion: 'reduce' })
  const visitor = new Visitor(page)
  await page.goto('/sign-in')
  const headings: Record<string, string> = {}
  for (const { path, href } of stopsOf(world)) headings[path] = await visitor.visit(href)
  expect(visitor.takeFaults()).toEqual([])
  const {
    '/register': register,
    '/join': join,
    '/forgot-password': forgot,
    '/reset-password': reset,
    ...others
  } = headings
  expect([register, join, forgot, reset]).toEqual([
    'Create an organization',
    'Join Norrvik Supply',
    'Forgot password',
    'New password',
  ])
  expect([...new Set(Object.values(others))]).toEqual(['Sign in'])
  await page.close()
})
