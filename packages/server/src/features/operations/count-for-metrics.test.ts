import fc from 'fast-check'
import { expect, it } from 'vitest'
import { boundedSeries } from './count-for-metrics.ts'

const values = fc.uniqueArray(
  fc.record({
    tenant: fc.nat(400).map((n) => `tenant ${n}`),
    label: fc.constantFrom('', 'a', 'b'),
    value: fc.integer({ min: 1, max: 10_000 }),
  }),
  { selector: ({ tenant, label }) => `${tenant} ${label}`, maxLength: 600 },
)

it('keeps at most 100 tenants and one series of the others for each label, and the sum of all values', () => {
  fc.assert(
    fc.property(values, (counted) => {
      const series = boundedSeries('mandate_findings_open', counted)
      expect(new Set(series.map(({ tenant }) => tenant)).size).toBeLessThanOrEqual(101)
      expect(new Set(series.map(({ tenant, label }) => `${tenant} ${label}`)).size).toBe(series.length)
      for (const wanted of ['', 'a', 'b']) {
        const sum = (rows: { label: string; value: number }[]) =>
          rows.filter(({ label }) => label === wanted).reduce((total, { value }) => total + value, 0)
        expect(sum(series)).toBe(sum(counted))
      }
    }),
  )
})

it('keeps the earliest time of the others, because it has the greatest age', () => {
  fc.assert(
    fc.property(values, (counted) => {
      const times = counted.map((one) => ({ ...one, label: '' }))
      const series = boundedSeries('mandate_approvals_oldest_pending_seconds', times)
      const earliest = (rows: { value: number }[]) => Math.min(...rows.map(({ value }) => value))
      expect(earliest(series)).toBe(earliest(times))
    }),
  )
})
