import { expect, test } from 'vitest'
import { onlyOne } from './find-one.ts'

const things = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, name: `n\u001b${index}` }))

function refusal(count: number) {
  try {
    return onlyOne('policy', 'Careful', things(count), ({ name }) => name)
  } catch (error) {
    return error
  }
}

test('the only match is returned', () => {
  expect(refusal(1)).toMatchObject({ id: 'id-0' })
})

test('no match is a failure, several are a wrong command line that lists them', () => {
  expect(refusal(0)).toMatchObject({ message: 'there is no policy Careful, or none that you can see', exitCode: 1 })
  expect(refusal(2)).toMatchObject({
    message: '2 policies are called Careful; use an id',
    hint: 'id-0  n\\u{1b}0\n  id-1  n\\u{1b}1',
    exitCode: 2,
  })
})

test('a long list of matches is cut', () => {
  const { hint } = refusal(25) as { hint: string }
  expect(hint.split('\n')).toHaveLength(21)
  expect(hint).toContain('and 5 more')
})
