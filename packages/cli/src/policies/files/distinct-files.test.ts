import { isSameName } from '@mandate/contract/fields/name-key'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sameIdFaults, sameNameFaults } from './distinct-files.ts'
import type { PolicyFile } from './policy-file.ts'

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

test('names that look the same are the same name, whatever their Unicode form and whatever nobody sees in them', () => {
  const hidden = fc.constantFrom('', '\u200b', '\u200d', '\u00ad', '\ufe0f', '\u2060', '\u{e0041}')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), hidden, (name, place, added) => {
      const written = [...name.normalize('NFD')]
      const withHidden = written.toSpliced(place % (written.length + 1), 0, added).join('')
      const [composed, decomposed] = [name.normalize('NFC'), ` ${withHidden}`]
      expect(isSameName(composed, decomposed)).toBe(true)
      const files = [composed, decomposed].map((name, at) => ({
        path: `${at}.yaml`,
        content: { name, environment: 'e' },
      }))
      expect(sameNameFaults(files as PolicyFile[])).toHaveLength(1)
    }),
  )
  expect(isSameName('P1', 'P\u200b1')).toBe(true)
  expect(isSameName('Cafe', 'Caf\u00e9')).toBe(false)
})
