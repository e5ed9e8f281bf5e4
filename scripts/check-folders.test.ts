import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

function check(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'mandate-folders-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  spawnSync('git', ['init', '--quiet'], { cwd: root })
  spawnSync('git', ['add', '.'], { cwd: root })
  const script = join(import.meta.dirname, 'check-folders.ts')
  const { status, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
  return { status, lines: stderr.split('\n') }
}

it('names the imports of a circle between folders whose files import nothing in a circle', () => {
  const { status, lines } = check({
    'shop/src/orders/total.ts': "import type { Price } from '../prices/price.ts'",
    'shop/src/orders/order.ts': 'export interface Order {}',
    'shop/src/prices/price.ts': "import { rate } from '@mandate/shop/taxes/rate'\nexport interface Price {}",
    'shop/src/taxes/rate.ts': "const order = await import('../orders/order.ts')",
  })
  expect(status).toBe(1)
  expect(lines.slice(0, 4)).toEqual([
    expect.stringMatching(/^shop: (orders|prices|taxes) → (orders|prices|taxes) → (orders|prices|taxes) → /),
    expect.stringContaining(' imports '),
    expect.stringContaining(' imports '),
    expect.stringContaining(' imports '),
  ])
  expect(lines.slice(1, 4).map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      'orders/total.ts imports prices/price.ts',
      'prices/price.ts imports taxes/rate.ts',
      'taxes/rate.ts imports orders/order.ts',
    ]),
  )
})

it('allows imports in one direction, the routes of a feature with rooms, and tests', () => {
  const { status, lines } = check({
    'shop/src/orders/routes.ts': "import { pay } from './payment/pay.ts'",
    'shop/src/orders/order.ts': 'export interface Order {}',
    'shop/src/orders/order.test.ts': "import { pay } from './payment/pay.ts'",
    'shop/src/orders/payment/pay.ts': "import type { Order } from '../order.ts'",
  })
  expect({ status, lines }).toEqual({ status: 0, lines: [''] })
})

it('names a circle between features whose folders are not in a circle', () => {
  const { status, lines } = check({
    'shop/src/features/orders/totals/total.ts': "import type { Price } from '../../prices/list/price.ts'",
    'shop/src/features/orders/words/word.ts': 'export interface Word {}',
    'shop/src/features/prices/list/price.ts': 'export interface Price {}',
    'shop/src/features/prices/taxes/rate.ts': "import type { Word } from '../../orders/words/word.ts'",
  })
  expect(status).toBe(1)
  expect(lines[0]).toMatch(/^shop: features\/(orders|prices) → features\/(orders|prices) → /)
})

it('names a folder with more than 25 files, but no folder that only has sub-folders with files, and not the migrations', () => {
  const filesIn = (folder: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/${at}.sql`, 'select 1']))
  const allowed = { ...filesIn('shop/src/orders', 25), ...filesIn('packages/server/src/db/migrations', 26) }
  expect(check({ ...allowed, ...filesIn('shop/src/orders/list', 25) })).toEqual({ status: 0, lines: [''] })
  const { status, lines } = check({ ...allowed, 'shop/src/orders/one-more.ts': 'export const more = 1' })
  expect(status).toBe(1)
  expect(lines).toEqual([expect.stringMatching(/^shop\/src\/orders has 26 files, more than 25:/), ''])
})
