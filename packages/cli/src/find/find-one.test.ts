import { expect, test } from 'vitest'
import { onlyOne } from './find-one.ts'

const matches = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, name: `n\u001b${index}` }))

function refusal(count: number) {
  try {
    return onlyOne('policy', 'Careful', matches(count), ({ name }) => name)
  } catch (error) {
    return error
  }
}

test('returns the only match', () => {
  expect(refusal(1)).toMatchObject({ id: 'id-0' })
})

test('fails without a match, and lists several matches as a usage error', () => {
  expect(refusal(0)).toMatchObject({ message: 'policy Careful does not exist, or you cannot see it', exitCode: 1 })
  expect(refusal(2)).toMatchObject({
    message: '2 policies have the name Careful; use an id',
    hint: 'id-0  n\\u{1b}0\n  id-1  n\\u{1b}1',
    exitCode: 2,
  })
})

test('suggests a name that is close to a mistyped one', () => {
  const find = () => onlyOne('policy', 'Carefull', [], undefined, ['Careful', 'Open'])
  expect(find).toThrow(expect.objectContaining({ hint: 'did you mean Careful?', exitCode: 1 }))
})

test('truncates a long list of matches', () => {
  const { hint } = refusal(25) as { hint: string }
  expect(hint.split('\n')).toHaveLength(21)
  expect(hint).toContain('and 5 more')
})
