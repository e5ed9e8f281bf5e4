import { expect, test } from 'vitest'
import { isSameOutput, steady } from './same-output.ts'

const same = (shown: string, printed: string) => isSameOutput(steady(shown), steady(printed))

test('ids, times, keys and widths of columns may differ', () => {
  const at = (id: string, time: string) => `Id   ${id}\nAt   ${time}`
  const [one, other] = ['01a20401-f436-724a-9d24-6eca20fb2849', '01a20402-32a9-7588-bba6-81f935edee54']
  expect(same(at(one, '2026-11-22T16:06:24.596Z'), at(other, '2027-01-01T00:00:00.001Z'))).toBe(true)
  expect(
    same('in /tmp/mandate-demo-Abc123/files', 'in /mnt/disk/mandate-acceptance-x_1234/mandate-demo-Xyz789/files'),
  ).toBe(true)
  expect(same(`Key  mk_${'a'.repeat(64)}`, `Key    mk_${'b'.repeat(64)}`)).toBe(true)
})

test('any other difference counts', () => {
  expect(same('10 entries', '11 entries')).toBe(false)
  expect(same('one\ntwo', 'one')).toBe(false)
  expect(same('one', 'one\ntwo')).toBe(false)
  expect(same('  one', 'one\n one')).toBe(false)
  expect(same(`mk_${'a'.repeat(64)}`, `ak_${'a'.repeat(64)}`)).toBe(false)
})

test('… stands for any text in a line, and for any lines where it is alone', () => {
  expect(same('Key  ek_…', `Key  ek_${'a'.repeat(64)}`)).toBe(true)
  expect(same('first\n…\nlast', 'first\nsecond\nthird\nlast')).toBe(true)
  expect(same('first\n…\nlast', 'first\nsecond')).toBe(false)
  expect(same('a … c', 'a b\nc')).toBe(false)
})
