import { expect, it } from 'vitest'
import { BatchPlaces } from './decision-memory.ts'

it('batches of a tenant that are stored at the same time have different places, the lowest that are free', async () => {
  const places = new BatchPlaces()
  const given: number[] = []
  const ends: (() => void)[] = []
  const store = (place: number) => new Promise<void>((end) => given.push(place) && ends.push(end))
  const [first, second, third] = [places.use('one', store), places.use('one', store), places.use('one', store)]
  const ofOther = places.use('other', store)
  expect(given).toEqual([0, 1, 2, 0])
  ends[1]?.()
  await second
  const fourth = places.use('one', store)
  expect(given.at(-1)).toBe(1)
  for (const end of ends) end()
  await Promise.all([first, third, fourth, ofOther])
})

it('a batch that fails leaves its place', async () => {
  const places = new BatchPlaces()
  await expect(places.use('one', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(await places.use('one', async (place) => place)).toBe(0)
})
