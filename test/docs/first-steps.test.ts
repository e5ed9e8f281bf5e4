import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// The browser tests walk this way (`test/browser/way`). Here, the page must name what the dashboard shows.

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const page = read('docs/getting-started.md')
const [, way = ''] = page.split('\n## Five minutes in the dashboard\n')
const [steps = ''] = way.split('\n## ')
const screens = globSync('packages/web/src/**/*.{ts,tsx}', { cwd: root }).map(read).join('\n')

test('the way through the dashboard comes before the way by hand', () => {
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title).slice(0, 2)).toEqual([
    'Five minutes in the dashboard',
    'Five minutes by hand',
  ])
})

test('the first steps name buttons, links and titles as the dashboard shows them', () => {
  const names = [...steps.matchAll(/(?<!\*)\*([A-Z][^*]+)\*(?!\*)/g)].map(([, name]) => name as string)
  expect(names.length).toBeGreaterThan(15)
  expect(names.filter((name) => !screens.includes(name))).toEqual([])
})
