import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ReadSlots } from './read-slots.ts'

it('runs reads in their order, a limited number at a time, also after reads that fail', async () => {
  const slots = new ReadSlots(2)
  const open = new Map<string, PromiseWithResolvers<string>>()
  const read = (name: string) =>
    slots.run(() => {
      const opened = Promise.withResolvers<string>()
      open.set(name, opened)
      return opened.promise
    })
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(read) as [
    Promise<string>,
    Promise<string>,
    Promise<string>,
    Promise<string>,
  ]
  await nextTurn()
  expect([...open.keys()]).toEqual(['a', 'b'])
  open.get('b')?.reject(new Error('no'))
  await expect(b).rejects.toThrow('no')
  await nextTurn()
  expect([...open.keys()]).toEqual(['a', 'b', 'c'])
  open.get('a')?.resolve('read')
  expect(await a).toBe('read')
  await nextTurn()
  expect([...open.keys()]).toEqual(['a', 'b', 'c', 'd'])
  for (const name of ['c', 'd']) open.get(name)?.resolve(name)
  expect(await Promise.all([c, d])).toEqual(['c', 'd'])
  const last = read('last')
  await nextTurn()
  open.get('last')?.resolve('last')
  expect(await last).toBe('last')
})
