import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboardPaths } from '@mandate/contract/words/dashboard-paths'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const pages = readdirSync(join(import.meta.dirname, 'pages'))

/** The routes that the pages declare, with the paths as the server writes them. */
const routes = pages.flatMap((page) => {
  const file = `pages/${page}/route.ts`
  // The page of a learner has no address of its own.
  if (!readdirSync(join(import.meta.dirname, 'pages', page)).includes('route.ts')) return []
  const text = read(file)
  const [, name = ''] = /export const (\w+Route) = createRoute/.exec(text) ?? []
  const [, path = ''] = /path: '([^']+)'/.exec(text) ?? []
  return [{ file, name, path: path.replaceAll(/\$(\w+)/g, '{$1}') }]
})

it('the server serves exactly the paths of the routes', () => {
  expect(routes.map(({ path }) => path).toSorted()).toEqual([...dashboardPaths].toSorted())
})

it('the router has every route', () => {
  const registered = read('router.ts').split('export const router')[0] as string
  for (const { name, file } of routes) expect(registered, file).toMatch(new RegExp(`^  ${name},$`, 'm'))
})
