import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = globSync('**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file))

describe('statements', () => {
  it('name their columns, because a prepared `select *` fails when the table gets a new column', () => {
    const answersAll = sources.filter((file) =>
      /\.(selectAll|returningAll)\(/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(sources.length).toBeGreaterThan(300)
    expect(answersAll).toEqual([])
  })

  it('lock a tenant so that inserts of its rows go on, except to delete it', () => {
    const stops = /(from\s+tenants\b|selectFrom\('tenants'\))(?:(?!\n\n).)*?(for\s+update|\.forUpdate\(\))/gs
    const found = sources.flatMap((file) => readFileSync(join(root, file), 'utf8').match(stops) ?? [])
    expect(found).toHaveLength(1)
  })
})
