import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sameIdFaults } from './distinct-files.ts'

const anyId = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined })

test('every id that several files have is reported once, with the path of each of these files', () => {
  fc.assert(
    fc.property(fc.array(anyId, { maxLength: 8 }), (ids) => {
      const faults = sameIdFaults(ids.map((id, at) => ({ path: `${at}.yaml`, id })))
      const groups = [...Map.groupBy(ids.keys(), (at) => ids[at])]
        .filter(([id, at]) => id !== undefined && at.length > 1)
        .map(([, at]) => at.map((one) => `${one}.yaml`).join(' and '))
      expect(faults.map((fault) => fault.slice(0, fault.indexOf(' have ')))).toEqual(groups)
    }),
  )
})
