import { expect, test } from 'vitest'
import { ApprovalNews } from './approval-news.ts'

const never = new AbortController().signal
const isPending = (promise: Promise<void>) =>
  Promise.race([promise.then(() => false), new Promise<boolean>((resolve) => setImmediate(() => resolve(true)))])

test('ends the wait for an approval that is told, and no other', async () => {
  const news = new ApprovalNews()
  const [one, two] = [news.wait('one', 60_000, never), news.wait('two', 60_000, never)]
  news.tell('one')
  await one
  expect(await isPending(two)).toBe(true)
  news.tell('two')
  await two
})

test('does not wait for an approval that was told a moment before', async () => {
  let now = 0
  const news = new ApprovalNews(() => now)
  news.tell('one')
  await news.wait('one', 60_000, never)
  now = 60_000
  const later = news.wait('one', 60_000, never)
  expect(await isPending(later)).toBe(true)
  news.tell('one')
  await later
})

test('ends the wait after its time, and when the caller has gone', async () => {
  const news = new ApprovalNews()
  await news.wait('one', 1, never)
  const gone = new AbortController()
  const waiting = news.wait('one', 60_000, gone.signal)
  gone.abort()
  await waiting
  await news.wait('one', 60_000, gone.signal)
})
