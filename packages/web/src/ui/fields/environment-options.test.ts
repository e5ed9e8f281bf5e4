import { expect, it } from 'vitest'
import { environmentOptions } from './environment-options.ts'

const environments = [{ id: 'a', name: 'Production' }]
const every = { value: '', text: 'every environment' }

it('a chosen environment is an option while the list is read, and if the reader does not see it', () => {
  const none = every.text
  expect(environmentOptions({ environments: undefined, value: 'b', none })).toEqual([
    every,
    { value: 'b', text: 'Not read yet' },
  ])
  expect(environmentOptions({ environments, value: 'b', none })[1]).toEqual({
    value: 'b',
    text: 'an environment that you do not see',
  })
  expect(environmentOptions({ environments, value: 'a', none })).toEqual([every, { value: 'a', text: 'Production' }])
})

it('a choice without a value never shows the first environment as chosen', () => {
  expect(environmentOptions({ environments, value: '', none: undefined })[0]).toEqual({ value: '', text: 'None' })
  expect(environmentOptions({ environments, value: '', none: every.text })[0]).toEqual(every)
})
